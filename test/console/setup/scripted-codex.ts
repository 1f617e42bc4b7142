import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_SERVER_REQUESTS } from '../../../lib/vendors/codex/app-server-requests.ts';

/** A notification of `codex app-server`. */
export type CodexEvent = Readonly<Record<string, unknown>>;

/** Replaces codex: its app server runs the prompt as a script, which prints the events of a test. */
export interface ScriptedCodex {
  /** For `PROMPTQ_CODEX_BIN`. */
  readonly path: string;
  /** A folder that scripts and tests share. */
  readonly folder: string;
  /** A line of a script that prints events. */
  prints(...events: readonly CodexEvent[]): Promise<string>;
  /** A line of a script that waits until the test calls `go` with the same name. */
  waitsFor(name: string): string;
  go(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function createScriptedCodex(): Promise<ScriptedCodex> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-scripted-codex-'));
  const path = join(folder, 'codex');
  await writeFile(path, `#!${process.execPath}\n${APP_SERVER}`, { mode: 0o755 });
  let files = 0;
  return {
    path,
    folder,
    prints: async (...events) => {
      files += 1;
      const file = join(folder, `events-${files}.jsonl`);
      await writeFile(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      return `cat ${file}`;
    },
    waitsFor: (name) => `until [ -e ${join(folder, name)} ]; do sleep 0.1; done`,
    go: async (name) => await writeFile(join(folder, name), ''),
    close: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/** All events are of this thread and its only turn. */
const THREAD = { threadId: 'thread-1', turnId: 'turn-1' };

/** It answers what the worker asks, and its turn ends with the script. Other arguments than `app-server` are an error. */
const APP_SERVER = `
const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');
if (process.argv[2] !== 'app-server') throw new Error('the scripted codex is an app server only');
const [thread, turn] = ${JSON.stringify([{ id: THREAD.threadId }, { id: THREAD.turnId }])};
const send = (value) => console.log(JSON.stringify(value));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, params } = JSON.parse(line);
  if (id === ${JSON.stringify(APP_SERVER_REQUESTS.initialize)}) send({ id, result: {} });
  if (id === ${JSON.stringify(APP_SERVER_REQUESTS.thread)}) send({ id, result: { thread, model: params.model } });
  if (id !== ${JSON.stringify(APP_SERVER_REQUESTS.turn)}) return;
  send({ id, result: { turn } });
  const script = spawn('sh', ['-s'], { stdio: ['pipe', 'inherit', 'inherit'] });
  script.stdin.end(params.input[0].text);
  script.on('close', () => {
    send({ method: 'turn/completed', params: { threadId: thread.id, turn: { ...turn, status: 'completed' } } });
  });
});
`;

let items = 0;
const item = (type: string, more: CodexEvent): CodexEvent => {
  items += 1;
  return { method: 'item/completed', params: { ...THREAD, item: { id: `item_${items}`, type, ...more } } };
};

const TOTAL = { inputTokens: 2400, cachedInputTokens: 2000, outputTokens: 68, reasoningOutputTokens: 0 };

/** Events as codex writes them. */
export const CODEX = {
  message: (text: string) => item('agentMessage', { text }),
  reasoning: (text: string) => item('reasoning', { summary: [text], content: [] }),
  command: (command: string, output: string, exitCode = 0) =>
    item('commandExecution', {
      command: `/bin/bash -lc '${command}'`,
      aggregatedOutput: output,
      exitCode,
      status: exitCode === 0 ? 'completed' : 'failed',
    }),
  files: (...paths: readonly string[]) =>
    item('fileChange', {
      changes: paths.map((path) => ({ path, kind: { type: 'update', move_path: null }, diff: '' })),
      status: 'completed',
    }),
  usage: { method: 'thread/tokenUsage/updated', params: { ...THREAD, tokenUsage: { total: TOTAL } } },
} as const;
