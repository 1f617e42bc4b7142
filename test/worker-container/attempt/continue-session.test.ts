import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, it, onTestFinished } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { sessionAboutKey, sessionPartKey } from '../../../lib/jobs/output/output-keys.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { continueSession } from '../../../worker-container/attempt/attempt-session.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { aJob, aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const ID = '01a207f5-eb44-7283-a012-30a0de506a94';
const LINE = '{"line":1}\n';
const [FIRST, SECOND, JOB] = ['1', '2', '3'].map((last) => `job_0000000000000000000000000${last}`) as [
  string,
  string,
  string,
];
/** The private folder of a job. */
const folderOf = (id: string) => `/workspaces/local_project/${id}/work`;
const turn = (job: Partial<Job>) => ({ job: aJob({ attempt: 1, status: 'SUCCEEDED', ...job }), attempt: 1 });

/** What an attempt continues, once others have saved sessions. */
async function continued(
  job: Partial<Job>,
  {
    saved,
    ...differing
  }: {
    /** The record of each session, by the job whose first attempt saved it. */
    saved: Record<string, object>;
    origin?: object;
    cwd?: string;
    earlier?: readonly unknown[];
  },
) {
  const deployment = quietDeployment();
  const put = async (Key: string, Body: string) =>
    await deployment.objects.send(new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key, Body }));
  for (const [id, more] of Object.entries(saved)) {
    const made = {
      agent: 'codex',
      vendor: 'practice',
      cwd: '/work',
      worker_id: 'worker-1',
      billed_bytes: 0,
      session_id: ID,
    };
    await put(sessionAboutKey(id, 1, 0), JSON.stringify({ version: 1, ...made, path: `${ID}.jsonl`, ...more }));
    await put(sessionPartKey(id, 1, 0, 0), LINE.repeat(3));
  }
  const folder = await mkdtemp(join(tmpdir(), 'promptq-session-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const worker = { ...deployment, workerId: 'worker-1', account: undefined };
  const about = { agent: codex, profile: { vendor: 'practice' }, origin: {}, cwd: '/work', earlier: undefined };
  const files = { agent: folder, attachments: join(folder, 'attachments') };
  const running = aRunningJob({ id: JOB, agent: 'codex', attempt: 2, ...job });
  const attempt = { worker, job: running, files, ending: new Ending() } as never;
  return await continueSession(attempt, { ...about, ...differing } as never);
}

const again = { resume_from: 1, session_id: ID };

it('a job waits for a worker whose CLI is new enough, and no longer than ten minutes', async () => {
  const how = { saved: { [JOB]: { cli_version: '2.0.0' } }, origin: { cli_version: '1.0.0' } };
  const since = (older_cli_since: string) => continued({ ...again, older_cli_since }, how);
  await expect(continued(again, how)).rejects.toThrow('version 2.0.0 of the CLI');
  const now = quietDeployment().clock.now();
  await expect(since(new Date(now - 599_000).toISOString())).rejects.toThrow('version 2.0.0 of the CLI');
  const { warnings } = await since(new Date(now - 600_000).toISOString());
  expect(warnings).toEqual([expect.stringContaining('version 2.0.0 of the CLI')]);
});

it.each([
  { cwd: folderOf(JOB), isContinued: true },
  { cwd: '/work', isContinued: false },
  { cwd: '/workspaces-of-others/job', isContinued: false },
])('a session of another worker is continued only in the workspaces, which all workers see: $cwd', async (given) => {
  const { cwd, isContinued } = given;
  const { resumed } = await continued(again, { saved: { [JOB]: { cwd, worker_id: 'worker-2' } }, cwd });
  expect(resumed !== undefined).toBe(isContinued);
});

it.each<[string, boolean, Partial<Job>, readonly unknown[]]>([
  ['a fork', true, { forked_from: FIRST }, []],
  ['a turn after a fork', true, { folder_of: SECOND }, [turn({ id: SECOND, forked_from: FIRST })]],
  ['a fork in a folder that it shares', false, { forked_from: FIRST, cwd: 'shared' }, []],
  ['a job that is no fork', false, {}, []],
  ['a job in the folder of another one', false, { folder_of: 'job_00000000000000000000000009' }, []],
])('the session of the folder that was copied is continued by %s: %s', async (_what, isContinued, job, between) => {
  const cwd = job.cwd === undefined ? folderOf(job.folder_of ?? JOB) : '/workspaces/local_project/shared';
  const earlier = [turn({ id: FIRST }), ...between];
  const { resumed, warnings } = await continued(job, { saved: { [FIRST]: { cwd: folderOf(FIRST) } }, earlier, cwd });
  expect(resumed?.jobId).toBe(isContinued ? FIRST : undefined);
  const why = 'session: of the thread not continued: its working folder was another one';
  expect(warnings).toEqual(isContinued ? [] : [why]);
});
