import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { divertOutput } from '../../../../lib/local/gateway/function-log.ts';

let folder: string;
const reported: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-log-'));
  reported.length = 0;
});

afterEach(async () => await rm(folder, { recursive: true, force: true }));

const path = () => join(folder, 'logs', 'api.log');

/** Runs a function with stdout and stderr diverted, and restores them in any case. */
async function diverted(run: () => void, maxBytes?: number): Promise<string> {
  const restore = divertOutput(path(), (line) => reported.push(line), maxBytes);
  try {
    run();
  } finally {
    restore();
  }
  return await readFile(path(), 'utf8');
}

test('the logs of functions go to a file that only its owner can read', async () => {
  const text = await diverted(() => {
    new Logger({ serviceName: 'test' }).info('answered', { route: 'jobs.read' });
    process.stdout.write('ü\n');
    process.stderr.write(Buffer.from('bytes\n'));
  });
  const [line = '', ...rest] = text.split('\n');
  expect(JSON.parse(line)).toMatchObject({ level: 'INFO', message: 'answered', route: 'jobs.read' });
  expect(rest).toEqual(['ü', 'bytes', '']);
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  expect(reported).toEqual([]);
});

test('a failure is also reported, in one line', async () => {
  await diverted(() => {
    new Logger({ serviceName: 'test' }).error('failed', {
      route: 'jobs.read',
      request_id: 'r-1',
      error: new Error('no such table'),
    });
    process.stdout.write('{"level": "ERROR", half a line');
  });
  expect(reported).toEqual([`jobs.read failed (request r-1): no such table; more in ${path()}`]);
});

test("a write's callback runs once the line is written", async () => {
  const told: string[] = [];
  await diverted(() => {
    process.stdout.write('a', () => told.push('a'));
    process.stdout.write('b', 'utf8', () => told.push('b'));
  });
  expect(told).toEqual(['a', 'b']);
});

test('afterwards the outputs are as they were, and the next run keeps the file as .1', async () => {
  const before = [process.stdout.write, process.stderr.write];
  await diverted(() => process.stdout.write('first'));
  expect([process.stdout.write, process.stderr.write]).toEqual(before);
  expect(await diverted(() => process.stdout.write('second'))).toBe('second');
  expect(await readFile(`${path()}.1`, 'utf8')).toBe('first');
});

test('a file that is full is kept beside the next one, and of the earlier files the last three', async () => {
  const lines = (from: number) => () => {
    for (let line = from; line < from + 5; line += 1) process.stdout.write(`${line}\n`);
  };
  const earlier = async () =>
    await Promise.all([1, 2, 3, 4].map(async (n) => await readFile(`${path()}.${n}`, 'utf8').catch(() => undefined)));
  expect(await diverted(lines(1), 4)).toBe('5\n');
  expect(await earlier()).toEqual(['3\n4\n', '1\n2\n', undefined, undefined]);
  expect(await diverted(lines(6), 4)).toBe('10\n');
  expect(await earlier()).toEqual(['8\n9\n', '6\n7\n', '5\n', undefined]);
  // A run without output replaces no earlier file.
  expect(await diverted(() => undefined)).toBe('');
  expect(await diverted(() => undefined)).toBe('');
  expect(await earlier()).toEqual(['10\n', '8\n9\n', '6\n7\n', undefined]);
  expect((await stat(`${path()}.1`)).mode & 0o777).toBe(0o600);
  expect(reported).toEqual([]);
});

test('a failure of which little is known is reported with what there is', async () => {
  const critical = { level: 'CRITICAL', message: 'gone', error: { message: 'no memory' } };
  await diverted(() => {
    for (const line of [{ level: 'ERROR', message: 'failed' }, critical, { ...critical, level: 'WARN' }, ['ERROR']])
      process.stderr.write(`${JSON.stringify(line)}\n`);
  });
  const more = `; more in ${path()}`;
  expect(reported).toEqual([`failed: no further message${more}`, `gone: no memory${more}`]);
});

test('what is written keeps its encoding, and its writer need not wait', async () => {
  const answers: boolean[] = [];
  const restore = divertOutput(path(), () => undefined);
  answers.push(process.stdout.write('é', 'latin1'), process.stdout.write(new Uint8Array([0xc3, 0xa9])));
  restore();
  expect([answers, await readFile(path())]).toEqual([[true, true], Buffer.from([0xe9, 0xc3, 0xa9])]);
  expect((await stat(dirname(path()))).mode & 0o777).toBe(0o700);
});

test.skipIf(!existsSync('/dev/full'))('a disk that is full is reported once, and fails nothing', () => {
  const restore = divertOutput('/dev/full', (line) => reported.push(line));
  const answers = ['a', 'b', 'c'].map((line) => process.stdout.write(line));
  restore();
  expect(answers).toEqual([true, true, true]);
  expect(reported).toEqual([expect.stringMatching(/^\/dev\/full can't be written: Error: ENOSPC/)]);
});

test.skipIf(!existsSync('/proc/self/fd'))('no file stays open behind another one or afterwards', async () => {
  const opened = () => {
    const targets = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    return targets.filter((target) => target.startsWith(folder)).length;
  };
  let during = 0;
  await diverted(() => {
    for (const line of ['1234', '5678', '9']) process.stdout.write(line);
    during = opened();
  }, 4);
  expect([during, opened()]).toEqual([1, 0]);
});
