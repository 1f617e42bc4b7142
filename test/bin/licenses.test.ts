import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { licensesOf } from '../../bin/pack/licenses.ts';

const root = mkdtempSync(join(tmpdir(), 'promptq-licenses-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A package with a licence text, or without. */
function installed(path: string, name: string, more: object, file?: string): void {
  const folder = join(root, path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', license: 'MIT', ...more }));
  if (file !== undefined) writeFileSync(join(folder, file), `\nThe text of ${name}.\n\n`);
}
installed('node_modules/a', 'a', {}, 'LICENSE');
installed('node_modules/@s/b', '@s/b', {}, 'LICENCE.md');
installed('node_modules/a/node_modules/c', 'c', { repository: { url: 'https://c.example' } });
installed('node_modules/d', 'd', { repository: 'e/d' });
installed('node_modules/unused', 'unused', {}, 'LICENSE');

/** A bundle with so many bytes of its sources. */
const bundle = (inputs: Readonly<Record<string, number>>) =>
  ({
    outputs: {
      out: {
        inputs: Object.fromEntries(Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }])),
      },
    },
  }) as unknown as Metafile;

it('the licences are those of each package of which a bundle has code or types, once each', () => {
  const text = licensesOf(
    root,
    [
      bundle({ 'lib/x.ts': 5, 'node_modules/a/x.js': 1, 'node_modules/a/y.js': 2, 'node_modules/unused/x.js': 0 }),
      bundle({ 'node_modules/@s/b/x.js': 1, 'node_modules/a/node_modules/c/x.js': 1, 'node_modules/a/z.js': 1 }),
    ],
    ['d'],
  );
  expect(text.split(`\n${'-'.repeat(80)}\n\n`)).toEqual([
    '@s/b 1.0.0 (MIT)\n\nThe text of @s/b.\n',
    'a 1.0.0 (MIT)\n\nThe text of a.\n',
    'c 1.0.0 (MIT)\n\nThe package has no licence text. Its package.json states MIT; see https://c.example.\n',
    'd 1.0.0 (MIT)\n\nThe package has no licence text. Its package.json states MIT; see e/d.\n',
  ]);
});
