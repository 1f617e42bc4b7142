import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findConfigFile } from '../../../lib/catalog/find-config-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'sub', 'mine.yaml'), 'rules: [{ id: mine, text: t }]');
});
afterAll(async () => await rm(folder, { recursive: true }));

const find = (given?: string) => findConfigFile(given, { folder, setting: 'promptq.configFile' });

it('a missing file of the usual name is ignored, a missing named file is an error', async () => {
  for (const usual of [undefined, '', 'promptq.config.yaml']) expect(await find(usual)).toBeUndefined();
  await expect(find('none.yaml')).rejects.toThrow(/none\.yaml \(promptq\.configFile\) can't be read/);
});

it('a fault names the file, the line and the path in the document', async () => {
  await writeFile(join(folder, 'sub', 'wrong.yaml'), 'rules:\n  - id: a\n    text: 7\n');
  await expect(find('sub/wrong.yaml')).rejects.toThrow('sub/wrong.yaml:3: rules[0].text: received 7');
  await expect(find(join(folder, 'sub', 'wrong.yaml'))).rejects.toThrow(
    /^the configuration is not right:\n {2}sub\/wrong/,
  );
});
