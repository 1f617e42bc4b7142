import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { AttemptLogin } from '../../../worker-container/account/attempt-login.ts';
import { makeAttemptFiles } from '../../../worker-container/attempt/attempt-files.ts';
import { finishAgent } from '../../../worker-container/attempt/finish-agent.ts';
import type { RunningAgent } from '../../../worker-container/attempt/start-agent.ts';
import { Ending, type EndingReason } from '../../../worker-container/commands/ending.ts';
import { endMarkedLike, spawnTree } from '../../../worker-container/commands/process-tree.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { virtualTiming } from '../output/virtual-timing.ts';

let folder: string;
let mark: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-finish-'));
  mark = `finish-test/${randomUUID()}`;
  onTestFinished(async () => {
    await endMarkedLike(mark);
    await rm(folder, { recursive: true, force: true });
  });
});

const NO_STREAM = { bytes: 0, lines: 0, sha256: '', complete: true };

interface Finishing {
  readonly script?: string;
  /** Why its worker has ended it; undefined: it exits. */
  readonly reason?: EndingReason;
  readonly running?: Partial<RunningAgent>;
  readonly login?: Partial<AttemptLogin>;
  readonly killTimeoutMs?: number;
  /** What git is; there is a worktree then. */
  readonly git?: string;
  /** Called while the output is joined. */
  readonly onJoin?: (ending: Ending) => void;
  /** Called while the session is saved. */
  readonly onSave?: (timing: ReturnType<typeof virtualTiming>, ending: Ending) => void;
}

/** Finishes an agent without a worktree. */
async function finish({
  script = 'true',
  reason,
  running = {},
  login,
  git,
  onJoin,
  onSave,
  killTimeoutMs,
}: Finishing = {}) {
  const calls: string[] = [];
  const note = (what: string) => () => void calls.push(what);
  const later = (what: string) => async () => void calls.push(what);
  const ending = new Ending();
  const timing = virtualTiming();
  const env = { PATH: process.env.PATH ?? '' };
  const command = { command: 'bash', args: ['-c', script], env, cwd: folder, stdin: undefined };
  const tree = await spawnTree({ ...command, mark, account: undefined });
  if (reason === undefined) await tree.exited;
  else {
    await once(tree.stdout, 'data');
    ending.request(reason);
  }
  const saved: (number | undefined)[] = [];
  const agent = {
    ...{ tree, courier: { close: later('courier'), seen: [] }, followUps: { found: () => undefined } },
    session: {
      async finish(limit?: number) {
        saved.push(limit);
        onSave?.(timing, ending);
        return [];
      },
      usage: () => ({}),
      dispose: note('session disposed'),
    },
    shipper: {
      async finish() {
        onJoin?.(ending);
        return { stdout: NO_STREAM, stderr: NO_STREAM };
      },
      source: () => undefined,
    },
    reader: { end: note('reader'), facts: () => ({ finished: false }) },
    ...{ stderrTail: () => '', outputFault: () => undefined },
    ...running,
  };
  const redaction = new Redaction();
  const files = makeAttemptFiles(
    folder,
    { account: undefined, env: ENV as never, folders: { workspaces: folder, roots: [] } },
    aRunningJob(),
  );
  await writeFile(join(files.attachments, 'report.md'), 'all of it');
  const prepared = {
    agent: { name: 'shell', politeSignal: 'SIGTERM', conclude: (facts: unknown) => facts },
    ...{ profile: { agent: 'shell', sandbox: 'none', env: {} }, command: { drive: { name: 'exec' } } },
    ...{ prompt: '', warnings: [] },
    worktree: git && { path: folder, clone: folder, record: '', base: 'HEAD', warnings: [] },
  };
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  if (git !== undefined) await writeFile(join(bin, 'git'), `#!/bin/sh\n${git}`, { mode: 0o755 });
  const context = {
    ...{
      ...quietDeployment(),
      env: { ...ENV, PATH: `${bin}:${env.PATH}` },
      log: new Logger({ logLevel: 'SILENT' }),
      timing,
    },
    ...{ killTimeoutMs, onSurvivors: note('survivors') },
  };
  const at = { attemptDir: folder, ending, mark, files, redaction, clocks: { stop: note('clocks') } };
  const { record } = await finishAgent(
    context as never,
    aRunningJob(),
    { prepared: prepared as never, running: agent as never, login: login as AttemptLogin | undefined },
    at as never,
  );
  return { record, calls, saved, tree, redaction };
}

it('all that belongs to an agent that has ended is closed', async () => {
  const { record, calls, saved, tree } = await finish();
  expect(calls).toEqual(['clocks', 'courier', 'reader']);
  expect(tree.stdin?.destroyed).toBe(true);
  expect(saved).toEqual([undefined]);
  expect(record).toMatchObject({ outcome: { kind: 'succeeded' }, attachments: { count: 1 } });
  expect([record.warnings, record.messages, record.resumed_from]).toEqual([undefined, undefined, undefined]);
});

it('the renewed login is passed on, and its secrets are masked', async () => {
  let closings = 0;
  const login = {
    secrets: ['a-renewed-token'],
    reviseOutcome: async (outcome: object) => ({ ...outcome, error: 'revised' }) as never,
    close: async () => {
      closings += 1;
    },
  };
  const { record, redaction } = await finish({ login });
  expect(closings).toBe(1);
  expect(redaction.text('it is a-renewed-token')).toBe('it is ***');
  expect(record.outcome).toMatchObject({ kind: 'succeeded', error: 'revised' });
});

it('processes that survive are counted, and named in a warning', async () => {
  const { record, calls } = await finish({ script: 'sleep 60 >/dev/null 2>&1 & exit 0', killTimeoutMs: 0 });
  expect(calls[0]).toBe('survivors');
  expect(record.warnings).toEqual([expect.stringMatching(/^processes: not ended, even by SIGKILL: \d+\. /)]);
  expect(record.outcome).toMatchObject({ kind: 'succeeded' });
});

const UP = 'echo up; while :; do sleep 0.05; done';
const park = { reason: 'usage_limit' } as const;
const facts = (of: object) => ({ reader: { end: () => undefined, facts: () => ({ finished: true, ...of }) } as never });
const lost = { outputFault: () => 'output_limit' as const };
const LOST = ['output: It wrote more than is kept of one stream.'];

it.each<[string, Finishing, string, readonly string[] | undefined]>([
  ['exited, and was cancelled later', { onJoin: (ending) => ending.request('cancelled') }, 'exited', undefined],
  ['took too long', { script: UP, reason: 'timed_out' }, 'timed_out', undefined],
  ['was done and stayed', { script: UP, reason: 'finished_not_exited' }, 'exited', undefined],
  ['exited and lost output', { running: lost }, 'output_limit', undefined],
  ['stayed and lost output', { script: UP, reason: 'finished_not_exited', running: lost }, 'output_limit', undefined],
  ['was cancelled and lost output', { script: UP, reason: 'cancelled', running: lost }, 'cancelled_by_request', LOST],
  ['met a limit and lost output', { running: { ...lost, ...facts({ park }) } }, 'usage_limit', LOST],
  ['failed', { running: facts({ error: 'no' }) }, 'agent_error', undefined],
])('an agent that %s has the outcome and the warnings of that', async (_what, how, reason, warnings) => {
  const { record } = await finish(how);
  expect([record.outcome.reason, record.warnings]).toEqual([reason, warnings]);
});

it('the session of a lost job is not saved', async () => {
  expect((await finish({ script: UP, reason: 'lost' })).saved).toEqual([0]);
  expect((await finish({ script: UP, reason: 'cancelled' })).saved).toEqual([undefined]);
});

it('a worker that is stopped for too long gives the session up, and still stores small files', async () => {
  const onSave: Finishing['onSave'] = (timing, ending) => {
    ending.request('stopping');
    timing.advance(10_000);
  };
  const limits = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => limits.mockRestore());
  const { calls, record } = await finish({ onSave });
  expect(calls).toContain('session disposed');
  expect(record.attachments).toEqual({ count: 1, bytes: 9 });
  expect(limits).toHaveBeenCalledWith(1_000);
  limits.mockClear();
  await rm(join(folder, 'attachments'), { recursive: true });
  await finish();
  expect(limits).not.toHaveBeenCalledWith(1_000);
});

it.each<[string, Finishing, boolean]>([
  ['exited', {}, true],
  ['was cancelled', { script: UP, reason: 'cancelled' }, true],
  ['exited before its worker was stopped', { onJoin: (ending) => ending.request('stopping') }, true],
  ['was ended because its worker stops', { script: UP, reason: 'stopping' }, false],
  ['lost its job', { script: UP, reason: 'lost' }, false],
  ['exited before it lost its job', { onJoin: (ending) => ending.request('lost') }, false],
])('the changes of an agent that %s are asked for: %s', async (_what, how, isAsked) => {
  const { warnings = [] } = (await finish({ ...how, git: 'exit 3' })).record;
  expect(warnings.map((warning) => warning.split(':')[0])).toEqual(isAsked ? ['changes'] : []);
});

it.each(['true', 'sleep 60 >/dev/null 2>&1 & exit 0'])(
  'what git leaves has as long to end as the agent, or a second if that left survivors: %s',
  async (script) => {
    const git = 'sleep 60 >/dev/null 2>&1 &\nexit 3';
    const { calls } = await finish({ script, git, killTimeoutMs: 0 });
    // In the second case it is the agent that left them.
    expect(calls.filter((call) => call === 'survivors')).toHaveLength(1);
  },
);
