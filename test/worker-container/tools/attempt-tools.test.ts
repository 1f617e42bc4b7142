import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import type { Timing } from '../../../worker-container/output/timing.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { type AttemptTools, serveTools } from '../../../worker-container/tools/attempt-tools.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { callTool } from './served-tools.ts';

let deployment: EmulatedDeployment;
let tokens: TokenStore;
let folder: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
  tokens = new TokenStore({ ...deployment.registry, clock: deployment.clock });
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await writeFile(join(folder, 'report.md'), 'done');
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true });
});

const onProgress = vi.fn();
beforeEach(() => void onProgress.mockReset());

/** The tools of an attempt of a job, until the end of the test. @param given.timing default: no answer is waited for */
async function toolsOf(
  job: Job,
  {
    timing,
    ending = new Ending(),
    watch = new JobWatch(),
  }: { timing?: Timing; ending?: Ending; watch?: JobWatch } = {},
): Promise<AttemptTools> {
  const profile = (await deployment.profiles.get('practice')) ?? expect.fail('the profile is missing');
  const env = { PROMPTQ_VERSION: '1.0.0', PROMPTQ_ANSWER_WAIT_SECONDS: timing === undefined ? 0 : 45 };
  const attempt = { agent: codex, profile, cwd: folder, attachments: folder, redaction: new Redaction([]) };
  const tools = await serveTools(
    { ...deployment, env, log: { warn: vi.fn() }, timing },
    { ...attempt, onProgress, ending, job, watch },
  );
  if (tools === undefined) expect.fail('there are no tools');
  onTestFinished(() => tools.close());
  return tools;
}

const jobOf = async (name: string, token_id: string) =>
  await deployment.store(aRunningJob({ id: jobIdOfKey(name), profile: 'practice', agent: 'codex', token_id }));

/** Each tool, with a call that works. */
const CALLS = [
  { name: 'create_job', args: { prompt: 'sub', key: 'k' } },
  { name: 'job_status', args: undefined },
  { name: 'attach_file', args: { path: 'report.md', name: 'kept.md' } },
  { name: 'report_progress', args: { text: 'half' } },
  { name: 'ask_human', args: { question: 'Which color?' } },
];

test.for(['suspended', 'revoked'] as const)('no call does anything once the token is %s', async (state) => {
  const token = await tokens.create({ name: 'ci', scopes: ['write'] });
  const job = await jobOf(`tools while active, then ${state}`, token.id);
  const tools = await toolsOf(job);
  let child = '';
  for (const { name, args = { id: child } } of CALLS) {
    const answer = await callTool(tools, name, args);
    expect(answer, name).toMatchObject({ isError: false });
    child ||= /job_\w+/.exec(answer.text)?.[0] ?? '';
  }
  const before = await deployment.jobs.get(job.id, { consistent: true });
  onProgress.mockClear();
  await tokens.setState(token.id, state);
  for (const { name, args = { id: child } } of CALLS)
    expect(await callTool(tools, name, args), name).toEqual({
      text: 'The token with which this job was created is suspended or revoked: its calls of tools are refused.',
      isError: true,
    });
  expect(onProgress).not.toHaveBeenCalled();
  expect(await deployment.jobs.get(job.id, { consistent: true })).toEqual(before);
});
