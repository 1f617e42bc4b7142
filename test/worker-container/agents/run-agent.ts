import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import type { Agent, AgentRun } from '../../../worker-container/agents/agent.ts';
import { type Drive, startDrive } from '../../../worker-container/drives/drive.ts';

/** The result of one real run of an agent's CLI. */
export interface AgentEnd {
  /** As concluded. */
  readonly facts: AgentFacts;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The folder with its sessions. */
  readonly sessions: string;
}

/** One real run of an agent's CLI in progress. */
export interface RunningAgent {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly attempt: AgentRun;
  /** Undefined: it takes no messages. */
  readonly drive: Drive | undefined;
  /** Ids of messages that are in the session. */
  readonly seen: readonly string[];
  readonly ended: Promise<AgentEnd>;
}

/** An attempt in temporary folders, which are removed after the test. Its mark is its root folder. */
export async function makeAttempt(run: Partial<AgentRun>): Promise<AgentRun> {
  const root = await mkdtemp(join(tmpdir(), 'promptq-agent-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const cwd = join(root, 'cwd');
  const attemptDir = join(root, 'attempt');
  await Promise.all([mkdir(cwd), mkdir(attemptDir)]);
  const env = { PATH: process.env.PATH ?? '', HOME: root, LANG: 'C.UTF-8', PROMPTQ_ATTEMPT: root, ...run.env };
  return {
    prompt: '',
    model: undefined,
    cwd,
    attemptDir,
    args: [],
    hidden: [],
    timeoutMs: undefined,
    sandbox: 'none',
    drive: 'auto',
    vendor: undefined,
    ...run,
    env,
  };
}

/** Starts an agent's real CLI as the worker does. */
export async function startAgent(agent: Agent, run: Partial<AgentRun>): Promise<RunningAgent> {
  const attempt = await makeAttempt(run);
  const prepared = await agent.prepare(attempt);
  const { command, args, env, stdin } = prepared;
  const child = spawn(command, args, { cwd: attempt.cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const seen: string[] = [];
  const drive = startDrive(prepared.drive, child.stdin, (messageId) => seen.push(messageId));
  if (drive === undefined) child.stdin.on('error', () => {}).end(stdin);

  const reader = agent.createReader();
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (chunk: Buffer) => {
    drive?.push(chunk);
    reader.push(chunk);
    output.stdout.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => output.stderr.push(chunk));

  async function end(): Promise<AgentEnd> {
    const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
    const stdout = Buffer.concat(output.stdout).toString();
    const stderr = Buffer.concat(output.stderr).toString();
    const facts = agent.conclude(reader.facts(), { exitCode, signal, stderrTail: stderr });
    const sessions = join(attempt.attemptDir, agent.sessionFolder ?? '');
    return { facts, exitCode, signal, stdout, stderr, sessions };
  }
  return { child, attempt, drive, seen, ended: end() };
}

/** Runs an agent's real CLI to its end. */
export async function runAgent(agent: Agent, run: Partial<AgentRun>): Promise<AgentEnd> {
  return (await startAgent(agent, run)).ended;
}

/** Resolves as soon as there is a file at `path`. */
export async function fileAppears(path: string): Promise<void> {
  for (;;) {
    try {
      return await access(path);
    } catch {
      await delay(20);
    }
  }
}
