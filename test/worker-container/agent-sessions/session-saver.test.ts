import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { SessionSaver } from '../../../worker-container/agent-sessions/session-saver.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

const ORIGIN = { cli_version: '0.169.0', account: '0123456789abcdef' };

const ID = '01a207f5-eb44-7283-a012-30a0de506a94';
const PREFIX = 'jobs/j1/attempts/000002/session';

let folder: string;
let path: string;
let stored: Map<string, string>;
let scheduled: { run: () => void; delay: number }[];
let failing: boolean;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-session-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  path = join(folder, `${ID}.jsonl`);
  stored = new Map();
  scheduled = [];
  failing = false;
});

function saver(sessionId = ID): SessionSaver {
  return new SessionSaver({
    jobId: 'j1',
    attempt: 2,
    folder,
    sessionId: () => sessionId,
    about: { agent: 'codex', vendor: 'practice', cwd: '/work', worker_id: 'w1', billed_bytes: 0, ...ORIGIN },
    meter: undefined,
    account: undefined,
    objects: {
      put: async (key, body) => {
        if (failing) throw new Error('the store is down');
        stored.set(key, body.toString());
      },
      uploadFile: async () => expect.unreachable(),
      deleteMany: async (keys) => {
        for (const key of keys) stored.delete(key);
      },
    },
    redaction: new Redaction(['hunter2-secret']),
    timing: {
      now: () => 0,
      schedule(run, delay) {
        const entry = { run, delay };
        scheduled.push(entry);
        return () => (scheduled = scheduled.filter((other) => other !== entry));
      },
    },
    onFailure: () => undefined,
  });
}

/** Lets the saver's next interval pass. */
function elapse(): void {
  const next = scheduled.shift();
  expect(next?.delay).toBe(10_000);
  next?.run();
}

test('whole lines are saved while the session grows, one part an interval, and the rest at the end', async () => {
  const session = saver();
  await writeFile(path, '{"line":1}\n{"line":2}\n{"cut');
  session.grown();
  session.grown();
  expect(scheduled).toHaveLength(1);
  elapse();
  await expect.poll(() => stored.get(`${PREFIX}/000000/0000000000000000`)).toBe('{"line":1}\n{"line":2}\n');
  expect(JSON.parse(stored.get(`${PREFIX}/000000/about.json`) ?? '')).toEqual({
    ...{ version: 1, agent: 'codex', vendor: 'practice', cwd: '/work', worker_id: 'w1', billed_bytes: 0 },
    ...{ session_id: ID, path: `${ID}.jsonl`, ...ORIGIN },
  });
  await appendFile(path, '":3}\n');
  expect(await session.finish(1_000)).toEqual([]);
  expect(stored.get(`${PREFIX}/000000/0000000000000022`)).toBe('{"cut":3}\n');
  expect(stored.size).toBe(3);
});

test('no secret is saved, and parts follow each other by what is stored', async () => {
  const session = saver();
  await writeFile(path, '{"text":"hunter2-secret"}\n');
  session.grown();
  elapse();
  await expect.poll(() => stored.get(`${PREFIX}/000000/0000000000000000`)).toBe('{"text":"***"}\n');
  await appendFile(path, '{"again":"hunter2-secret"}\n');
  await session.finish(1_000);
  expect(stored.get(`${PREFIX}/000000/0000000000000015`)).toBe('{"again":"***"}\n');
});

test('a file that was replaced or shortened begins a new generation, which replaces the one before', async () => {
  const session = saver();
  await writeFile(path, '{"line":1}\n{"line":2}\n');
  session.grown();
  elapse();
  await expect.poll(() => stored.size).toBe(2);
  await writeFile(join(folder, 'new'), '{"other":1}\n');
  await rename(join(folder, 'new'), path);
  await session.finish(1_000);
  expect(stored.get(`${PREFIX}/000001/0000000000000000`)).toBe('{"other":1}\n');
  expect([...stored.keys()]).toEqual([`${PREFIX}/000001/about.json`, `${PREFIX}/000001/0000000000000000`]);
});

test('the last save is repeated until it succeeds', async () => {
  await writeFile(path, '{"line":1}\n');
  failing = true;
  const finished = saver().finish(60_000);
  await expect.poll(() => scheduled.map(({ delay }) => delay)).toEqual([60_000, 250]);
  failing = false;
  scheduled.pop()?.run();
  expect(await finished).toEqual([]);
  expect(stored.get(`${PREFIX}/000000/0000000000000000`)).toBe('{"line":1}\n');
});

test('a last save that takes too long is a warning', async () => {
  await writeFile(path, '{"line":1}\n');
  failing = true;
  const finished = saver().finish(60_000);
  await expect.poll(() => scheduled).toHaveLength(2);
  scheduled.shift()?.run();
  expect(await finished).toEqual(['session: not saved completely: it took too long']);
});

test.for([undefined, '../../etc/passwd', 'x'])('nothing is looked for without a sound id: %s', async (id) => {
  await writeFile(path, '{"line":1}\n');
  expect(await saver(id ?? '').finish(1_000)).toEqual([]);
  expect(stored.size).toBe(0);
});
