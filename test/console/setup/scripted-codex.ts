import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An event of `codex exec --json`. */
export type CodexEvent = Readonly<Record<string, unknown>>;

/** Replaces codex: it runs its prompt as a script, which prints the events of a test. */
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
  await writeFile(path, '#!/bin/sh\nexec sh -s\n', { mode: 0o755 });
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

let items = 0;
const item = (type: string, more: CodexEvent): CodexEvent => {
  items += 1;
  return { type: 'item.completed', item: { id: `item_${items}`, type, ...more } };
};

/** Events as codex writes them. */
export const CODEX = {
  message: (text: string) => item('agent_message', { text }),
  reasoning: (text: string) => item('reasoning', { text }),
  command: (command: string, output: string, exitCode = 0) =>
    item('command_execution', {
      command: `/bin/bash -lc '${command}'`,
      aggregated_output: output,
      exit_code: exitCode,
      status: exitCode === 0 ? 'completed' : 'failed',
    }),
  files: (...paths: readonly string[]) =>
    item('file_change', { changes: paths.map((path) => ({ path, kind: 'update' })), status: 'completed' }),
  end: { type: 'turn.completed', usage: { input_tokens: 2400, cached_input_tokens: 2000, output_tokens: 68 } },
} as const;
