import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateToken } from '../../lib/access/tokens/api-tokens.ts';
import { filesWithTokens } from './leaked-tokens.ts';

test('a token is found wherever a run has left one, except where the operator keeps it', async () => {
  const home = await mkdtemp(join(tmpdir(), 'promptq-leaks-'));
  onTestFinished(async () => await rm(home, { recursive: true }));
  expect(await filesWithTokens(home)).toEqual([]);
  await mkdir(join(home, 's3'));
  const token = generateToken();
  await writeFile(join(home, 'local.json'), token);
  await writeFile(join(home, 'like-one'), `${token.slice(0, -1)}_`);
  await writeFile(join(home, 's3', 'object'), Buffer.concat([Buffer.alloc(70_000), Buffer.from(`{"a":"${token}"}`)]));
  expect(await filesWithTokens(home)).toEqual(['./s3/object']);
});
