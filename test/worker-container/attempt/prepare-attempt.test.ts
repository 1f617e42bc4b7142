import { statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { profileSchema } from '../../../lib/catalog/profiles.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { sessionAboutKey, sessionPartKey } from '../../../lib/jobs/output/output-keys.ts';
import type { AgentRun } from '../../../worker-container/agents/agent.ts';
import { AGENTS } from '../../../worker-container/agents/agents.ts';
import { makeAttemptFiles } from '../../../worker-container/attempt/attempt-files.ts';
import { prepareAttempt } from '../../../worker-container/attempt/prepare-attempt.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { WorkFolders } from '../../../worker-container/workspace/work-folders.ts';
import { aJob, aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

const [EARLIER, JOB] = ['1', '2'].map((last) => `job_0000000000000000000000000${last}`) as [string, string];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-prepare-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** codex, which is not started: only what it would be given is kept. @param prepare what it does instead */
function codexThat(prepare: (run: AgentRun) => unknown): void {
  vi.spyOn(AGENTS.codex, 'cliVersion').mockResolvedValue(undefined);
  vi.spyOn(AGENTS.codex, 'prepare').mockImplementation(async (run) => {
    await prepare(run);
    return { command: 'codex', args: [], env: {}, stdin: '', drive: { name: 'exec' } };
  });
  onTestFinished(() => void vi.restoreAllMocks());
}

/** Prepares an attempt of a job, the last of a conversation of two. */
async function prepare(
  agent: 'codex' | 'shell',
  {
    profile: more = {},
    job = {},
    env: given = {},
    ending = new Ending(),
    account,
    hasSession = false,
  }: {
    profile?: object;
    job?: Partial<Job>;
    env?: object;
    ending?: Ending;
    account?: ServiceAccount | undefined;
    hasSession?: boolean;
  } = {},
) {
  const deployment = quietDeployment();
  const env = { ...ENV, PATH: process.env.PATH ?? '', PROMPTQ_VENDOR: 'real', ...given };
  const folders = { workspaces: join(folder, 'workspaces'), roots: [] };
  const profile = profileSchema.parse({ name: 'practice', agent, ...more });
  const prompts: Record<string, string> = { [EARLIER]: 'echo earlier', [JOB]: 'echo now' };
  const turns = [EARLIER, JOB].map((jobId, at) => ({ jobId, turn: at + 1 }));
  const thread = { thread_id: EARLIER, agent } as const;
  await deployment.store(aJob({ id: EARLIER, ...thread, turn: 1, attempt: 1, status: 'SUCCEEDED' }));
  const running = aRunningJob({ id: JOB, ...thread, turn: 2, continues: EARLIER, ...job });
  const cwd = join(folders.workspaces, running.project_id, JOB, 'work');
  if (hasSession) {
    const session_id = '01a207f5-eb44-7283-a012-30a0de506a94';
    const made = { version: 1, agent, vendor: 'own', session_id, path: `${session_id}.jsonl`, cwd, worker_id: 'w' };
    const objects = s3OutputObjects(deployment.objects, deployment.env.OUTPUT_BUCKET);
    const { signal } = new AbortController();
    await objects.put(sessionAboutKey(JOB, 1, 0), Buffer.from(JSON.stringify(made)), signal);
    await objects.put(sessionPartKey(JOB, 1, 0, 0), Buffer.from('{"line":1}\n'), signal);
  }
  const context = {
    ...{ ...deployment, env, folders, account, workerId: 'worker-1', log: new Logger({ logLevel: 'SILENT' }) },
    profiles: { get: async () => profile },
    texts: { ...deployment.texts, get: async ({ id }: { id: string }) => ({ prompt: prompts[id] }) },
    threads: { turns: async () => turns, forks: async () => [] },
    secrets: {
      read: async () =>
        new Map([
          ['KEY', 'a-secret-value'],
          ['DB', 'postgres'],
        ]),
    },
  };
  const redaction = new Redaction();
  let isContinued = false;
  const prepared = await prepareAttempt(context as never, running, {
    ...{ attemptDir: folder, ending, mark: 'prepare-test', redaction, account: undefined },
    ...{
      files: makeAttemptFiles(folder, { account, env, folders } as never, running),
      onProgress: () => undefined,
      watch: new JobWatch(),
      deadline: () => undefined,
    },
    lending: new WorkFolders({ account, folders, closed: [] }),
    onContinued: () => {
      isContinued = true;
    },
  });
  onTestFinished(async () => void (await prepared.tools?.close()));
  return { prepared, redaction, isContinued };
}

it('a script gets no record of its thread, and an agent without a session does', async () => {
  expect((await prepare('shell')).prepared.prompt).toBe('echo now');
  codexThat(() => undefined);
  const { prepared, isContinued } = await prepare('codex');
  for (const part of ['echo earlier', 'echo now']) expect(prepared.prompt).toContain(part);
  expect(isContinued).toBe(false);
});

it('what ran before counts for an attempt that continues an interrupted one', async () => {
  codexThat(() => undefined);
  const { prepared, isContinued } = await prepare('codex', { job: { attempt: 2, resume_from: 1 }, hasSession: true });
  expect(prepared.resumed).toMatchObject({ attempt: 1 });
  expect(isContinued).toBe(true);
});

it('the secrets of its profile are masked from then on, and one that is a plain word is a warning', async () => {
  const env = { KEY: { secret: 'KEY' }, DB: { secret: 'DB' } };
  const { redaction, prepared } = await prepare('shell', { profile: { env } });
  expect(prepared.warnings).toEqual([expect.stringMatching(/^secret DB is too short or too plain a word/)]);
  expect(redaction.text('it is a-secret-value')).toBe('it is ***');
});

it('a profile that this worker cannot run says what is missing', async () => {
  const sandbox = prepare('shell', { profile: { sandbox: 'read-only' }, env: { PROMPTQ_SANDBOXES: ['none'] } });
  await expect(sandbox).rejects.toThrow('sandbox of profile practice: received "read-only"');
  const agent = prepare('shell', { env: { PROMPTQ_AGENTS: ['codex'] } });
  await expect(agent).rejects.toThrow('profile practice: its agent shell is not installed');
});

it('an attempt that is asked to end while its agent is prepared starts none, and closes its tools', async () => {
  const ending = new Ending();
  let url: string | undefined;
  codexThat(async ({ tools }) => {
    url = tools?.url;
    await fetch(url ?? '');
    ending.request('cancelled');
  });
  await expect(prepare('codex', { ending })).rejects.toMatchObject({ name: 'CancelledBeforeStartError' });
  await expect(fetch(url ?? '')).rejects.toThrow('fetch failed');
});

describeAsRoot('an agent under an account', () => {
  it('owns the files that were prepared for it', async () => {
    const account = newAccounts(1).slots[0] as ServiceAccount;
    codexThat(async ({ attemptDir }) => await writeFile(join(attemptDir, 'config.toml'), ''));
    await prepare('codex', { account });
    for (const path of ['agent', 'agent/config.toml'])
      expect([path, statSync(join(folder, path)).uid]).toEqual([path, account.uid]);
  });
});
