import { expect, it } from 'vitest';
import { requireNamedGrants } from '../../../../lib/jobs/creation/named-grants.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt } from '../a-job.ts';
import { anEnded, knownThreads } from '../threads/known-threads.ts';

const [FIRST, TURN] = ['job_1', 'job_2'];
const turn = anEnded(TURN, { thread_id: FIRST, turn: 2 });
const first = anEnded(FIRST, { attempt: 3, thread_id: FIRST, turn: 1 });
const little = { sandbox: 'read-only', secrets: [] } as const;

/** Continues a job with a profile that has much; a receipt of each job says what its thread began with. */
async function continued(
  job: Job | undefined,
  { jobs = {}, granted }: { jobs?: Record<string, Job | 'newer'>; granted: Record<string, Receipt['granted']> },
): Promise<string> {
  const deployment = quietDeployment();
  await deployment.profiles.put({ name: 'mine', agent: 'codex', sandbox: 'none', env: { ONE: { secret: 'A' } } });
  const profile = (await deployment.profiles.get('mine')) ?? expect.fail('there is no profile');
  const readReceipt = async (id: string, attempt: number) => {
    const known = granted[`${id}.${attempt}`];
    return aReceipt({ kind: 'succeeded', reason: 'exited' }, { ...(known && { granted: known }) });
  };
  const context = { jobs: knownThreads({ jobs }).jobs, readReceipt } as unknown as Parameters<
    typeof requireNamedGrants
  >[0];
  return await requireNamedGrants(context, job, { profile, named: false, action: 'continue' }).then(
    () => 'continued',
    (error: Error) => error.message,
  );
}
const HAS = 'the profile "mine" now has the sandbox none and the secrets A, which its thread did not begin with';
const ASKS = `continue: ${HAS}; name the profile to continue with it`;

it.each<[what: string, job: Job, jobs: Record<string, Job | 'newer'>]>([
  ['of the first job, if it is in no thread', anEnded(FIRST, { attempt: 3 }), {}],
  ['of the first job itself', first, {}],
  ['of the first job of the thread', turn, { [FIRST]: first }],
])('a profile must be named if it has more than the newest attempt %s had', async (_, job, jobs) => {
  expect(await continued(job, { jobs, granted: { [`${FIRST}.3`]: { ...little, secrets: [] } } })).toBe(ASKS);
});

const all = Object.fromEntries(
  [`${FIRST}.0`, `${TURN}.1`, 'undefined.undefined'].map((key) => [
    key,
    { sandbox: 'read-only' as const, secrets: [] },
  ]),
);
it.each<[what: string, job: Job | undefined, jobs: Record<string, Job | 'newer'>]>([
  ['there is no earlier job', undefined, {}],
  ['the first job was removed', turn, {}],
  ['only a later version can read the first job', turn, { [FIRST]: 'newer' }],
  ['the first job has not begun', turn, { [FIRST]: aJob({ id: FIRST }) }],
])('a profile need not be named: %s', async (_, job, jobs) => {
  expect(await continued(job, { jobs, granted: all })).toBe('continued');
});

it('a profile need not be named if only a later version knows the sandbox that the thread began with', async () => {
  const granted = { [`${FIRST}.3`]: { sandbox: 'later', secrets: [] } };
  expect(await continued(first, { granted })).toBe('continued');
});
