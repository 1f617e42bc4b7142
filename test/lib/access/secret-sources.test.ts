import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { secretSource } from '../../../lib/access/deployment-secrets.ts';

const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
afterAll(async () => await rm(folder, { recursive: true }));

it('each secret is the file of its name, and a missing folder or file is no secret', async () => {
  await writeFile(join(folder, 'perimeter-tokens'), 'a\nb\n');
  const source = secretSource(`file:${folder}`);
  expect(await source('perimeter-tokens')).toBe('a\nb\n');
  expect(await source('telegram-bot-token')).toBeUndefined();
  expect(await secretSource(undefined)('perimeter-tokens')).toBeUndefined();
});
