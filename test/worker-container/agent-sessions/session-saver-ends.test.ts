import { beforeEach, expect, test } from 'vitest';
import {
  type SessionFilePart,
  SessionFileRefusedError,
} from '../../../worker-container/agent-sessions/read-session-file.ts';
import { SessionSaver, type SessionSaverOptions } from '../../../worker-container/agent-sessions/session-saver.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

const ID = '01a207f5-eb44-7283-a012-30a0de506a94';
const MIB = 1024 * 1024;
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

let scheduled: { readonly run: () => void; readonly delay: number }[];
let stored: string[];
let failures: unknown[];
/** How many bytes each read asked for. */
let reads: number[];
beforeEach(() => {
  [scheduled, stored, failures, reads] = [[], [], [], []];
});

/** A saver of a session whose file is read by the given function. */
function saverOf(
  read: (request: { from: number; most: number }) => Partial<SessionFilePart> | undefined,
  more: Partial<SessionSaverOptions> = {},
): SessionSaver {
  return new SessionSaver({
    ...{ jobId: 'j1', attempt: 2, folder: '/sessions', sessionId: () => ID, meter: undefined, account: undefined },
    about: { agent: 'codex', vendor: 'practice', cwd: '/work', worker_id: 'w1', billed_bytes: 0 },
    readFile: async ({ from, most }) => {
      reads.push(most);
      const part = read({ from, most });
      return part && { identity: 'one', size: 0, path: 'p', bytes: Buffer.alloc(0), ...part };
    },
    objects: {
      put: async (key) => void stored.push(key.replace(/^.*session\//, '')),
      uploadFile: async () => expect.unreachable(),
      deleteMany: async () => undefined,
    },
    redaction: new Redaction([]),
    timing: {
      now: () => 0,
      schedule(run, delay) {
        const entry = { run, delay };
        scheduled.push(entry);
        return () => (scheduled = scheduled.filter((other) => other !== entry));
      },
    },
    onFailure: (error) => void failures.push(error),
    ...more,
  });
}

/** What a file with this text gives to a read. */
const fileOf =
  (text: () => string) =>
  ({ from }: { readonly from: number }) => ({ size: text().length, bytes: Buffer.from(text().slice(from)) });

test('the last save leaves no timer behind', async () => {
  const saver = saverOf(fileOf(() => '{"line":1}\n'));
  saver.grown();
  expect(await saver.finish(1_000)).toEqual([]);
  expect([scheduled, stored]).toEqual([[], ['000000/about.json', '000000/0000000000000000']]);
});

test('two parts of a file have one record, and the meter gets what the attempt did not continue', async () => {
  let text = '{"old":1}\n{"line":1}\n';
  const measured: string[] = [];
  const meter = {
    push: (chunk: Buffer, part: string) => void measured.push(`${part} ${chunk}`),
    ...{ reset: () => undefined, usage: () => undefined },
  };
  const saver = saverOf(
    fileOf(() => text),
    { meter, restoredBytes: '{"old":1}\n'.length },
  );
  saver.grown();
  scheduled.shift()?.run();
  await settled();
  text += '{"line":2}\n';
  expect(await saver.finish(1_000)).toEqual([]);
  expect(stored).toEqual(['000000/about.json', '000000/0000000000000000', '000000/0000000000000021']);
  expect(measured).toEqual(['own {"line":1}\n', 'own {"line":2}\n']);
});

test('a saver whose file is missing saves nothing, and reports nothing', async () => {
  expect(await saverOf(() => undefined).finish(1_000)).toEqual([]);
  expect([stored, failures]).toEqual([[], []]);
});

test('a worker that has to stop saves nothing further, not even the rest', async () => {
  const saver = saverOf(fileOf(() => '{"line":1}\n'));
  saver.grown();
  saver.dispose();
  expect(scheduled).toEqual([]);
  expect(await saver.finish(1_000)).toEqual(['session: not saved completely: the worker had to stop']);
  expect(stored).toEqual([]);
});

test('a file that may not be read is reported once, and not read again', async () => {
  const refused = new SessionFileRefusedError('it has holes');
  const saver = saverOf(() => {
    throw refused;
  });
  saver.grown();
  scheduled.shift()?.run();
  await settled();
  expect(await saver.finish(1_000)).toEqual(['session: not saved completely: it has holes']);
  expect([reads.length, failures]).toEqual([1, [refused]]);
});

test('the beginning of a line is read once, and a line that is longer than any session is not read twice', async () => {
  await saverOf(fileOf(() => '{"cut')).finish(1_000);
  expect(reads).toEqual([4 * MIB]);
  reads = [];
  await saverOf(({ most }) => ({ size: 65 * MIB, bytes: Buffer.alloc(most) })).finish(1_000);
  expect(reads).toEqual([4 * MIB, 16 * MIB, 64 * MIB]);
  expect(stored).toEqual([]);
});

test.each([
  ['shortened', 'one', '{"l":1}\n'],
  ['replaced by one that is as long', 'two', '{"other":1}\n{"other":2}\n'],
])('a file that was %s begins a new generation', async (_, identity, second) => {
  let now = { identity: 'one', text: '{"line":1}\n{"line":2}\n' };
  const saver = saverOf((request) => ({ identity: now.identity, ...fileOf(() => now.text)(request) }));
  saver.grown();
  scheduled.shift()?.run();
  await settled();
  now = { identity, text: second };
  expect(await saver.finish(1_000)).toEqual([]);
  expect(stored.slice(2)).toEqual(['000001/about.json', '000001/0000000000000000']);
});

test('a file that is replaced again and again is saved up to a limit, and a warning says so', async () => {
  let generation = 0;
  const line = Buffer.alloc(64 * MIB, '.');
  line[line.length - 1] = 0x0a;
  const saver = saverOf(({ from }) => ({
    identity: String(generation),
    size: line.length,
    bytes: line.subarray(from),
  }));
  for (; generation < 5; generation += 1) {
    saver.grown();
    scheduled.shift()?.run();
    const done = () => stored.filter((key) => key.endsWith('/0000000000000000')).length + failures.length;
    await expect.poll(done).toBe(generation + 1);
    await settled();
  }
  expect(await saver.finish(1_000)).toEqual([
    'session: not saved completely: its file was replaced until 268435456 bytes were saved',
  ]);
  expect(failures).toHaveLength(1);
});
