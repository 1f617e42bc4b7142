import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_SERVER_REQUESTS } from '../../lib/vendors/codex/app-server-requests.ts';

/** An event that a scripted CLI prints, or a pause in milliseconds. `THREAD` in a text becomes the session's id. */
type Step = Readonly<Record<string, unknown>> | number;

/** What a turn does: of a new session, and of one that is continued. */
export interface TurnScript {
  readonly begun: readonly Step[];
  /** Default: as `begun`. */
  readonly resumed?: readonly Step[];
  /** Printed to stderr before the end. */
  readonly stderr?: string;
  /** Exits with it at once. Default: with 0, at the end of its input. */
  readonly exit?: number;
}

/** Replaces both CLIs: each turn prints what its prompt tells. They keep sessions, as the vendors' do. */
export interface ScriptedClis {
  /** Variables of the service. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function createScriptedClis(): Promise<ScriptedClis> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-scripted-'));
  const program = `#!${process.execPath}\n${PROGRAM}`;
  const [codex, claude] = [join(folder, 'codex'), join(folder, 'claude')];
  for (const path of [codex, claude]) await writeFile(path, program, { mode: 0o755 });
  return {
    env: { PROMPTQ_CODEX_BIN: codex, PROMPTQ_CLAUDE_BIN: claude },
    close: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/** A prompt that has a scripted CLI run a turn. */
export function scripted(turn: TurnScript): string {
  return `Do as told.\n${MARK}${JSON.stringify(turn)}`;
}

const MARK = 'turn script: ';

const PROGRAM = `
const { appendFileSync, globSync, mkdirSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { createInterface } = require('node:readline');
const args = process.argv.slice(2);
const isCodex = args[0] === 'app-server';
const folder = isCodex ? join(process.env.CODEX_HOME, 'sessions') : join(process.env.CLAUDE_CONFIG_DIR, 'projects');
let thread = args.find((arg) => arg.startsWith('--resume='))?.slice('--resume='.length);
let isResumed = thread !== undefined;
const print = (text) => new Promise((done) => process.stdout.write(text, done));
const send = (value) => print(JSON.stringify(value).replaceAll('THREAD', thread) + '\\n');
const sessionFile = () => globSync('**/*' + thread + '.jsonl', { cwd: folder })[0] ?? join('kept', thread + '.jsonl');

/** The script of a prompt, else that of the session. */
function scriptOf(prompt) {
  const file = join(folder, sessionFile());
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, JSON.stringify({ prompt }) + '\\n');
  const found = readFileSync(file, 'utf8').trim().split('\\n').flatMap((line) => JSON.parse(line).prompt.split('\\n'));
  const last = found.findLast((line) => line.startsWith(${JSON.stringify(MARK)}));
  return JSON.parse(last.slice(${JSON.stringify(MARK)}.length));
}

async function run(prompt) {
  const { begun, resumed = begun, stderr = '', exit } = scriptOf(prompt);
  for (const step of isResumed ? resumed : begun)
    await (typeof step === 'number' ? new Promise((done) => setTimeout(done, step)) : send(step));
  process.stderr.write(stderr);
  if (exit !== undefined) process.exit(exit);
}

const newThread = () => (thread = crypto.randomUUID());
const input = createInterface({ input: process.stdin });
input.on('line', async (line) => {
  const { id, type, params, message } = JSON.parse(line);
  if (type === 'user') {
    thread ??= newThread();
    await run(message.content[0].text);
    input.close();
  } else if (id === ${JSON.stringify(APP_SERVER_REQUESTS.initialize)}) send({ id, result: {} });
  else if (id === ${JSON.stringify(APP_SERVER_REQUESTS.thread)}) {
    isResumed = params.threadId !== undefined;
    thread = params.threadId ?? newThread();
    send({ id, result: { thread: { id: thread } } });
  } else if (id === ${JSON.stringify(APP_SERVER_REQUESTS.turn)}) {
    await send({ id, result: { turn: { id: 'turn' } } });
    await run(params.input[0].text);
  }
});
`;
