import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findBash } from '../../../worker-container/commands/find-bash.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  for (const name of ['first', 'second', 'plain']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'bash'), '');
    if (name !== 'plain') await chmod(join(folder, name, 'bash'), 0o755);
  }
});
afterEach(async () => await rm(folder, { recursive: true }));

const at = (...names: readonly string[]) => names.map((name) => join(folder, name)).join(':');

it('the first bash of a PATH that can be run is taken, from absolute folders only', async () => {
  expect(await findBash(`none:.:${at('none', 'plain', 'second', 'first')}`)).toBe(join(folder, 'second/bash'));
});

it('a PATH without one is named in the error', async () => {
  await expect(findBash(at('plain'))).rejects.toThrow(`no bash in the worker's PATH: ${at('plain')}`);
  await expect(findBash('')).rejects.toThrow('(empty)');
});
