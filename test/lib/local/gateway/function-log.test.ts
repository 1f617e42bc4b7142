import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
