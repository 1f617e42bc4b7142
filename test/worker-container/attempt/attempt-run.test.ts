import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type Profile, profileSchema } from '../../../lib/catalog/profiles.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { AttemptLogin } from '../../../worker-container/account/attempt-login.ts';
import type { AgentRun } from '../../../worker-container/agents/agent.ts';
import { AGENTS } from '../../../worker-container/agents/agents.ts';
import { AttemptClocks } from '../../../worker-container/attempt/attempt-clocks.ts';
import { runAgent } from '../../../worker-container/attempt/attempt-run.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { OutputShipper } from '../../../worker-container/output/output-shipper.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { WorkFolders } from '../../../worker-container/workspace/work-folders.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { callTool } from '../tools/served-tools.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-run-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});
afterEach(() => void vi.restoreAllMocks());

const SHELL = profileSchema.parse({ name: 'practice', agent: 'shell' });
const CODEX = profileSchema.parse({ name: 'practice', agent: 'codex' });

/** Runs a script, or codex. @param profile undefined: it was removed */
async function run(
  script: string,
  {
    profile,
    job = {},
    more = {},
    redaction = new Redaction(),
  }: { profile: Profile | undefined; job?: Partial<Job>; more?: object; redaction?: Redaction },
) {
  const env = {
    ...{ ...ENV, PATH: process.env.PATH ?? '', PROMPTQ_WORK_DIR: join(folder, 'worker') },
    PROMPTQ_PRACTICE_URL: 'http://127.0.0.1:9/v1',
  };
  const deployment = quietDeployment();
  const context = {
    ...{ ...deployment, env, folders: { workspaces: join(folder, 'workspaces'), roots: [] }, markPrefix: 'run-test/' },
    ...{ workerId: 'worker-1', log: new Logger({ logLevel: 'SILENT' }), killTimeoutMs: 5_000 },
    profiles: { get: async () => profile },
    texts: { ...deployment.texts, get: async () => ({ prompt: script }) },
    ...more,
  };
  const ran = await runAgent(context as never, aRunningJob({ timeout: 60, ...job }), {
    ...{ attemptDir: join(folder, 'attempt'), ending: new Ending(), redaction, onProgress: () => undefined },
    ...{ seen: new Set(), job: new JobWatch(), watched: new EventTarget() },
  });
  onTestFinished(() => ran.dispose());
  return ran;
}

/** codex, which is not started. @param prepare what it does instead */
function codexThat(prepare: (run: AgentRun) => Promise<unknown>): void {
  vi.spyOn(AGENTS.codex, 'cliVersion').mockResolvedValue(undefined);
  vi.spyOn(AGENTS.codex, 'prepare').mockImplementation(async (given) => {
    await prepare(given);
    throw new Error('codex was prepared');
  });
}

it('a script runs to its end, and then its folder is closed', async () => {
  const closed = vi.spyOn(WorkFolders.prototype, 'close');
  const { record } = await run('true', { profile: SHELL });
  expect(record).toMatchObject({ outcome: { kind: 'succeeded' }, composed_prompt: 'true' });
  expect(closed).toHaveBeenCalledOnce();
});

it('an attempt that does not begin stops its clocks', async () => {
  const stopped = vi.spyOn(AttemptClocks.prototype, 'stop');
  await expect(run('true', { profile: undefined })).rejects.toThrow('profile practice no longer exists');
  expect(stopped).toHaveBeenCalledOnce();
});

it('what an agent has written is deleted here if it cannot be joined', async () => {
  vi.spyOn(OutputShipper.prototype, 'finish').mockRejectedValue(new Error('the store is away'));
  const disposed = vi.spyOn(OutputShipper.prototype, 'dispose');
  await expect(run('echo done', { profile: SHELL })).rejects.toThrow('the store is away');
  expect(disposed).toHaveBeenCalledOnce();
});

it('a folder that other jobs share stays open', async () => {
  const closed = vi.spyOn(WorkFolders.prototype, 'close');
  await run('true', { profile: SHELL, job: { shares_folder: true } });
  expect(closed).not.toHaveBeenCalled();
});

it('a folder that an agent has shared with another job stays open', async () => {
  const closed = vi.spyOn(WorkFolders.prototype, 'close');
  vi.spyOn(AGENTS.codex, 'cliVersion').mockResolvedValue(undefined);
  vi.spyOn(AGENTS.codex, 'prepare').mockImplementation(async ({ tools, env }) => {
    if (tools === undefined) throw new Error('there are no tools');
    await callTool(tools, 'create_job', { prompt: 'Sand it.', cwd: 'below' });
    return { command: 'bash', args: ['-c', 'true'], env, stdin: '', drive: { name: 'exec' } };
  });
  await run('Paint it.', { profile: CODEX });
  expect(closed).not.toHaveBeenCalled();
});

it('the profile that the claim has read is used, and otherwise it is read once', async () => {
  const reads = { profile: SHELL, settings: () => ({}), texts: async () => ({ prompt: 'true # claimed' }) };
  const { record } = await run('', { profile: undefined, more: { reads, profiles: { get: async () => undefined } } });
  expect(record).toMatchObject({ composed_prompt: 'true # claimed' });
  const get = vi.fn(async () => SHELL);
  await run('true', { profile: SHELL, more: { profiles: { get } } });
  expect(get).toHaveBeenCalledOnce();
});

/** A login of the linked account. */
function linked() {
  let closings = 0;
  const close = async () => {
    closings += 1;
  };
  const login = { secrets: ['a-secret-token'], account: 'me', close } as unknown as AttemptLogin;
  const copied = vi.spyOn(AttemptLogin, 'copyInto').mockResolvedValue(login);
  return { copied, closings: () => closings };
}

it('an agent of the linked account gets a login, which is masked, and closed in any case', async () => {
  const { copied, closings } = linked();
  codexThat(async () => undefined);
  const redaction = new Redaction();
  const failing = run('Paint it.', { profile: CODEX, more: { credentials: {} }, redaction });
  await expect(failing).rejects.toThrow('codex was prepared');
  expect(copied).toHaveBeenCalledOnce();
  expect(redaction.text('it is a-secret-token')).toBe('it is ***');
  expect(closings()).toBe(1);
});

it.each<[string, Profile | undefined, object, string]>([
  ['a script', SHELL, { credentials: {} }, ''],
  ['an agent of a worker without accounts', CODEX, {}, 'codex was prepared'],
  ['an agent whose profile is gone', undefined, { credentials: {} }, 'profile practice no longer exists'],
])('no login is copied for %s', async (_what, profile, more, error) => {
  const { copied } = linked();
  codexThat(async () => undefined);
  const ran = run('true', { profile, more });
  if (error === '') await ran;
  else await expect(ran).rejects.toThrow(error);
  expect(copied).not.toHaveBeenCalled();
});
