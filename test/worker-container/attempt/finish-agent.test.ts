import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AttemptContext } from '../../../worker-container/attempt/attempt-context.ts';
import { makeAttemptFiles } from '../../../worker-container/attempt/attempt-files.ts';
import { finishAgent } from '../../../worker-container/attempt/finish-agent.ts';
import type { AgentSurroundings, RunningAgent } from '../../../worker-container/attempt/start-agent.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { spawnTree } from '../../../worker-container/commands/process-tree.ts';
import { openWorktree } from '../../../worker-container/repository/job-worktree.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { startUnder } from '../../../worker-container/service-accounts/start-under-account.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

let repository: string;
let base: string;
beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'promptq-finish-'));
  base = await makeClone(repository);
});
afterAll(() => rm(repository, { recursive: true, force: true }));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-finish-'));
  execFileSync('chmod', ['711', folder]);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** The tools of an agent whose question has no answer. */
const ASKING = { isAsking: () => true, close: async () => undefined };

const NO_STREAM = { bytes: 0, lines: 0, sha256: '', complete: true };

/** Finishes an agent that has changed a file of its worktree and exited. @param runs it does not exit itself */
async function finish(
  running: Partial<RunningAgent> = {},
  {
    ending = new Ending(),
    account,
    runs = false,
    tools,
    machine = {},
  }: {
    ending?: Ending;
    account?: ServiceAccount | undefined;
    runs?: boolean;
    tools?: object;
    /** What differs once the agent has ended. */
    machine?: Pick<Partial<AttemptContext>, 'timing' | 'objects'> & { path?: string };
  } = {},
) {
  const job = aRunningJob();
  const mark = randomUUID();
  const attemptDir = join(folder, 'attempt');
  await mkdir(attemptDir, { mode: 0o711 });
  await mkdir(join(folder, 'worktrees'));
  const clone = join(folder, 'clone.git');
  await cp(join(repository, 'clone.git'), clone, { recursive: true });
  const files = makeAttemptFiles(
    attemptDir,
    { account, env: ENV as never, folders: { workspaces: folder, roots: [] } },
    job,
  );
  const redaction = new Redaction();
  const env = { ...ENV, PATH: process.env.PATH ?? '' };
  const surroundings = { env: env as never, mark, attemptDir, ending: undefined, account, redaction };
  const worktree = await openWorktree(surroundings, {
    ...{ clone: { dir: clone, base, address: clone }, jobId: job.id, path: join(folder, 'work') },
    lend: async () => {
      await mkdir(join(folder, 'work'));
      if (account !== undefined) execFileSync('chown', [`${account.uid}:${account.gid}`, join(folder, 'work')]);
    },
  });
  const script = `echo changed > work/README.md; ${runs ? 'sleep 60' : 'true'}`;
  const command = { command: 'bash', args: ['-c', script], env: { PATH: env.PATH }, cwd: folder, stdin: '' };
  const tree = await spawnTree({ ...command, mark, account });
  if (!runs) await tree.exited;
  const { path: PATH = env.PATH, ...services } = machine;
  const log = new Logger({ logLevel: 'SILENT' });
  const context = { ...quietDeployment(), env: { ...env, PATH }, account, log, ...services };
  const prepared = {
    ...{ agent: { name: 'shell', politeSignal: 'SIGTERM', conclude: (facts: unknown) => facts }, worktree },
    ...{
      profile: { agent: 'shell', sandbox: 'none', env: {} },
      command: { drive: { name: 'exec' } },
      prompt: '',
      warnings: [],
      tools,
    },
  };
  const agent = {
    tree,
    courier: { close: async () => undefined, seen: [] },
    session: { finish: async () => [], usage: () => ({}), dispose: () => undefined },
    shipper: { finish: async () => ({ stdout: NO_STREAM, stderr: NO_STREAM }), source: () => undefined },
    reader: { end: () => undefined, facts: () => ({ finished: false }) },
    followUps: { found: () => undefined },
    stderrTail: () => '',
    outputFault: () => undefined,
    ...running,
  };
  const at = { attemptDir, ending, mark, files, redaction, clocks: { stop: () => undefined } };
  return await finishAgent(
    context as unknown as AttemptContext & { log: Logger },
    job,
    { prepared: prepared as never, running: agent as unknown as RunningAgent, login: undefined },
    at as unknown as AgentSurroundings,
  );
}

/** A repository of one commit, as the worker keeps clones. @returns the commit */
async function makeClone(folder: string): Promise<string> {
  const [source, dir] = [join(folder, 'source'), join(folder, 'clone.git')];
  const git = (...args: string[]) => execFileSync('git', args, { stdio: 'pipe' }).toString().trim();
  git('init', '-q', source);
  await writeFile(join(source, 'README.md'), 'new\n');
  git('-C', source, 'add', '.');
  git('-C', source, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first');
  git('clone', '-q', '--bare', source, dir);
  git('-C', dir, 'pack-refs', '--all');
  return git('-C', dir, 'rev-parse', 'HEAD');
}

/** Timers that fire when the test says so, by their delays. */
function manualTiming() {
  const timers: { readonly run: () => void; readonly delay: number }[] = [];
  return {
    timing: {
      now: () => 0,
      schedule: (run: () => void, delay: number) => {
        timers.push({ run, delay });
        return () => undefined;
      },
    },
    delays: () => timers.map(({ delay }) => delay),
    fire: (which: number) => {
      for (const { run, delay } of timers) if (delay === which) run();
    },
  };
}

test.each([undefined, 'finished_not_exited', 'output_failed'] as const)(
  'an agent whose output was not kept has not succeeded (ended by its worker: %s)',
  async (reason) => {
    const ending = new Ending();
    if (reason !== undefined) ending.request(reason);
    const outputFault = () => 'output_failed' as const;
    expect((await finish({ outputFault }, { ending, runs: reason !== undefined })).record.outcome).toMatchObject({
      ...{ kind: 'failed', reason: 'output_limit' },
      error: 'Its output could not be kept: the disk of the worker failed or is full.',
    });
  },
);

test.each([
  { fault: 'output_limit', ending: undefined, lost: 'It wrote more than is kept of one stream.' },
  { fault: 'output_limit', ending: 'output_limit', lost: 'It wrote more than is kept of one stream.' },
  {
    fault: 'output_failed',
    ending: 'finished_not_exited',
    lost: 'Its output could not be kept: the disk of the worker failed or is full.',
  },
] as const)(
  'an agent that met its usage limit waits for it, although output was lost ($fault, ended by its worker: $ending)',
  async ({ fault, ending: reason, lost }) => {
    const ending = new Ending();
    if (reason !== undefined) ending.request(reason);
    const park = { reason: 'usage_limit', until: '2026-11-26T00:00:00.000Z' } as const;
    const reader = { end: () => undefined, facts: () => ({ finished: true, error: 'The limit is met.', park }) };
    const { record } = await finish(
      { outputFault: () => fault, reader: reader as never },
      { ending, runs: reason !== undefined },
    );
    expect(record.outcome).toMatchObject({ kind: 'parked', ...park, error: 'The limit is met.' });
    expect(record.warnings).toEqual([`output: ${lost}`]);
  },
);

test.each([undefined, 'output_limit', 'asked'] as const)(
  'a job whose agent asks a person waits for the answer, although output was lost (ended by its worker: %s)',
  async (reason) => {
    const ending = new Ending();
    if (reason !== undefined) ending.request(reason);
    const outputFault = () => 'output_limit' as const;
    const { record } = await finish({ outputFault }, { ending, runs: reason !== undefined, tools: ASKING });
    expect(record.outcome).toMatchObject({ kind: 'asked', reason: 'question' });
    expect(record.warnings).toEqual(['output: It wrote more than is kept of one stream.']);
  },
);

test('an agent that asks a person and ends its turn has not succeeded', async () => {
  const { record } = await finish({}, { tools: ASKING });
  expect(record.outcome).toEqual({ kind: 'asked', reason: 'question', exit_code: 0, signal: null });
});

test('an agent that failed and lost output has failed, although it had asked', async () => {
  const reader = { end: () => undefined, facts: () => ({ finished: true, error: 'The model is gone.' }) };
  const running = { outputFault: () => 'output_limit' as const, reader: reader as never };
  expect((await finish(running, { tools: ASKING })).record.outcome).toMatchObject({
    kind: 'failed',
    reason: 'output_limit',
  });
});

test('an agent that had exited when its worker was stopped keeps its outcome and its changes', async () => {
  const ending = new Ending();
  const shipper = {
    finish: async () => {
      ending.request('stopping');
      return { stdout: NO_STREAM, stderr: NO_STREAM };
    },
    source: () => undefined,
  };
  const { record } = await finish(
    { shipper: shipper as never },
    { ending, machine: { timing: manualTiming().timing } },
  );
  expect(record).toMatchObject({ outcome: { kind: 'succeeded' }, changes: { files: 1 } });
  expect(record.warnings).toBeUndefined();
});

test.each([
  { reason: undefined, outcome: { kind: 'succeeded' } },
  { reason: 'timed_out', outcome: { kind: 'failed', reason: 'timed_out' } },
] as const)(
  'a worker that is stopped while it stores what an agent has left keeps the outcome, and stores what it can (ended by its worker: $reason)',
  async ({ reason, outcome }) => {
    const ending = new Ending();
    if (reason !== undefined) ending.request(reason);
    const [bin, begun] = [join(folder, 'bin'), join(folder, 'begun')];
    await mkdir(bin);
    await writeFile(join(bin, 'git'), `#!/bin/sh\necho > ${begun}; exec sleep 600\n`, { mode: 0o755 });
    const { timing, delays, fire } = manualTiming();
    const sending = Promise.withResolvers<void>();
    const send = async (_command: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
      sending.resolve();
      await once(abortSignal, 'abort');
      throw abortSignal.reason;
    };
    const machine = { timing, objects: { send } as never, path: `${bin}:${process.env.PATH}` };
    const finished = finish({}, { ending, runs: reason !== undefined, machine });
    await expect.poll(() => existsSync(begun), { interval: 10 }).toBe(true);
    await writeFile(join(folder, 'attempt', 'attachments', 'report.md'), 'all of it');
    expect(delays()).toEqual([]);
    ending.request('stopping');
    fire(5_000);
    await sending.promise;
    fire(10_000);
    const { record } = await finished;
    expect(record).toMatchObject({ outcome });
    expect(record.warnings).toEqual([
      'changes: not known: the worker had to stop',
      'attachments: not kept: they could not be read, or stored in time',
    ]);
  },
);

test('a worker that is stopped while it joins the output of an agent gives it up after a while', async () => {
  const ending = new Ending();
  const { timing, fire } = manualTiming();
  const shipper = {
    finish: async ({ signal }: { signal: AbortSignal }) => {
      ending.request('stopping');
      fire(10_000);
      signal.throwIfAborted();
    },
  };
  await expect(finish({ shipper: shipper as never }, { ending, machine: { timing } })).rejects.toThrow('too long');
});

test('an attempt that lost its job leaves its worktree to the next one', async () => {
  const ending = new Ending();
  ending.request('lost');
  expect((await finish({}, { ending })).record.changes).toBeUndefined();
});

describeAsRoot('an agent under an account', () => {
  test('has its session read to the end before git runs there', async () => {
    const [account] = newAccounts(1).slots;
    const session = {
      finish: async () => {
        const read = ['-e', 'select undef, undef, undef, 1; print "all of it"'];
        const options = { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'ignore'] as const };
        const { child } = startUnder(account, '/usr/bin/perl', read, { ...options, stdio: [...options.stdio] });
        if (child.stdout === null) throw new Error('the reader has no output');
        const [answer] = await Promise.all([text(child.stdout), once(child, 'exit')]);
        return [answer];
      },
      usage: () => ({}),
    };
    const { record } = await finish({ session: session as never }, { account });
    expect(record.warnings).toEqual(['all of it']);
    expect(record.changes).toMatchObject({ files: 1 });
    // The group has all slots, and the attempt's folder lets them pass.
    expect((await stat(join(folder, 'attempt', 'changes.git'))).mode & 0o777).toBe(0o700);
  });
});
