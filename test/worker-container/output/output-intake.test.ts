import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OutputIntake } from '../../../worker-container/output/output-intake.ts';
import { Spool } from '../../../worker-container/output/spool.ts';
import { machineTiming } from '../../../worker-container/output/timing.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => {
  for (const spool of spools) await spool.remove();
  await rm(folder, { recursive: true });
});

const spools: Spool[] = [];
function newSpool(inFolder = folder): Spool {
  const spool = new Spool(join(inFolder, `spool-${spools.length}`));
  spools.push(spool);
  return spool;
}

/** An intake of a pipe, what it reports, and what it has kept. */
function intakeOf({
  limit = 100,
  room = async () => undefined as undefined,
  secrets = [] as string[],
  fails = false,
} = {}) {
  const spool = newSpool(fails ? join(folder, 'missing') : folder);
  const pipe = new PassThrough();
  const calls: string[] = [];
  const intake = new OutputIntake({
    input: pipe,
    spool,
    redactor: new Redaction(secrets).redactor(),
    limit,
    timing: machineTiming,
    onRead: (chunk) => calls.push(`read ${chunk}`),
    onKept: (chunk) => calls.push(`kept ${chunk}`),
    onLimit: () => calls.push('limit'),
    onError: (error) => calls.push(`error ${(error as NodeJS.ErrnoException).code ?? error}`),
    room,
  });
  return { pipe, intake, calls, kept: async () => await readFile(spool.path, 'utf8') };
}

/** Waits until an intake has reported something. */
const reported = async (calls: readonly string[], call: string) =>
  await expect.poll(() => calls, { interval: 5 }).toContain(call);

it('what is read is kept, masked, up to the limit, and nothing after it', async () => {
  const { pipe, intake, calls, kept } = intakeOf({ limit: 10, secrets: ['secret-word-of-ours'] });
  pipe.write('12345678');
  await reported(calls, 'kept 12345678');
  expect(intake.complete).toBe(true);
  pipe.write('abcd');
  await reported(calls, 'limit');
  pipe.end('secret-word-of-ours');
  await intake.ended;
  expect(calls).toEqual([
    ...['read 12345678', 'kept 12345678', 'read abcd', 'kept ab', 'limit', 'read secret-word-of-ours'],
  ]);
  expect([await kept(), intake.complete]).toEqual(['12345678ab', false]);
});

it('exactly as much as the limit is complete, and one byte more is not', async () => {
  for (const [text, isComplete] of [
    ['1234567890', true],
    ['12345678901', false],
  ] as const) {
    const { pipe, intake, calls, kept } = intakeOf({ limit: 10 });
    pipe.end(text);
    await intake.ended;
    expect([await kept(), intake.complete, calls.includes('limit')]).toEqual(['1234567890', isComplete, !isComplete]);
  }
});

it('a secret is masked when it comes in parts, and its beginning is kept at the end of the stream', async () => {
  const { pipe, intake, kept } = intakeOf({ secrets: ['secret-word-of-ours'] });
  pipe.write('a secret-wo');
  pipe.write('rd-of-ours b');
  pipe.end(' secret-wo');
  await intake.ended;
  expect(await kept()).toMatch(/^a (?!secret).* b secret-wo$/);
  expect(intake.complete).toBe(true);
});

it('the agent is blocked until there is room', async () => {
  const room = Promise.withResolvers<undefined>();
  const { pipe, intake, calls } = intakeOf({ room: async () => await room.promise });
  pipe.write('first');
  await reported(calls, 'kept first');
  pipe.end('second');
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).not.toContain('read second');
  room.resolve(undefined);
  await intake.ended;
  expect(calls.at(-1)).toBe('kept second');
});

it('a spool that fails is reported once, and what follows is read and not kept', async () => {
  const { pipe, intake, calls } = intakeOf({ fails: true });
  pipe.write('first');
  await reported(calls, 'error ENOENT');
  pipe.end('second');
  await intake.ended;
  expect(calls).toEqual(['read first', 'error ENOENT', 'read second']);
  expect(intake.complete).toBe(false);
});

it('a pipe that fails is reported, unless it is being closed', async () => {
  const { pipe, intake, calls } = intakeOf();
  pipe.destroy(new Error('broken'));
  await intake.ended;
  expect([calls, intake.complete]).toEqual([['error Error: broken'], false]);

  const text = intakeOf();
  text.pipe.setEncoding('utf8');
  text.pipe.end('text');
  await text.intake.ended;
  expect(text.calls).toEqual([expect.stringContaining('must come as bytes')]);
});

it('closing a pipe that another process holds open keeps what it had, as all that there was', async () => {
  const { pipe, intake, calls, kept } = intakeOf();
  pipe.write('last words');
  await intake.close();
  expect([calls, await kept(), intake.complete]).toEqual([['read last words', 'kept last words'], 'last words', true]);
  expect(pipe.destroyed).toBe(true);
});

it('closing ends although a pipe never falls silent, and says that output is missing', async () => {
  let [pauses, stopped] = [0, false];
  const timing = {
    ...machineTiming,
    schedule: (run: () => void) => {
      pauses += 1;
      const turn = setImmediate(run);
      return () => clearImmediate(turn);
    },
  };
  const pipe = new PassThrough();
  const intake = new OutputIntake({
    ...{ input: pipe, timing, limit: 1e6, redactor: new Redaction().redactor(), room: async () => undefined },
    spool: newSpool(),
    onKept: () => {
      if (!stopped) pipe.write('more');
    },
    onLimit: () => undefined,
    onError: () => undefined,
  });
  pipe.write('first');
  await intake.close();
  stopped = true;
  expect([pauses, intake.complete]).toEqual([200, false]);
});

it('closing a pipe waits until nothing has come for a while', async () => {
  let looks = 0;
  let look: () => void = () => undefined;
  const pipe = new PassThrough();
  const timing = {
    ...machineTiming,
    schedule(run: () => void) {
      looks += 1;
      look = run;
      if (looks <= 5) pipe.write(String(looks));
      else setImmediate(run);
      return () => undefined;
    },
  };
  const spool = newSpool();
  const intake = new OutputIntake({
    ...{ input: pipe, timing, spool, limit: 100, redactor: new Redaction().redactor(), room: async () => undefined },
    // By then the chunk is no longer being kept.
    onKept: () => void setImmediate(() => look()),
    onLimit: () => undefined,
    onError: () => undefined,
  });
  await intake.close();
  expect([(await spool.slice(0, spool.bytes)).toString(), looks, intake.complete]).toEqual(['12345', 7, true]);
});
