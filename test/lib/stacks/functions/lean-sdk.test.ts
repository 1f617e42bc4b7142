import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { exportsOf, replaced, withLiteralKeys } from '../../../../lib/stacks/functions/lean-sdk.ts';
import { LEFT_OUT, REPLACEMENTS } from '../../../../lib/stacks/functions/sdk-replacements.ts';

const MODULES = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));
const libraries = globSync('{@smithy/*,@aws-sdk/*}/dist-es/**/*.js', { cwd: MODULES });
const files = [...libraries, ...globSync('zod/v4/core/*.js', { cwd: MODULES })];

const leftOut = files.filter((file) => LEFT_OUT.some((pattern) => pattern.test(file)));
const instead = [...Object.keys(REPLACEMENTS), ...leftOut];

/** The names that esbuild finds in each module. One build reads what they share once. */
const { metafile } = await build({
  entryPoints: instead,
  absWorkingDir: MODULES,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  outdir: 'exported',
  write: false,
  metafile: true,
  logLevel: 'silent',
});
const exported = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));

test('each pattern of modules that are left out fits some of the installed ones', () => {
  expect(LEFT_OUT.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([]);
});

describe.each(instead)('what a bundle has instead of %s', (module) => {
  test('exports the names of the installed module and no others', () => {
    const text = replaced(module, readFileSync(join(MODULES, module), 'utf8'), REPLACEMENTS[module] ?? '');
    expect(exportsOf(text).toSorted()).toEqual(exported.get(module)?.toSorted());
  });
});

test('a module that is left out can be loaded, and fails when it is used', () => {
  const text = replaced('a/module.js', 'export const make = () => 1;\nexport class Made {}\n', '');
  const module = { exports: {} as { make: () => void; Made: new () => object } };
  new Function('module', transformSync(text, { format: 'cjs' }).code)(module);
  expect(() => module.exports.make()).toThrow('a/module.js is not part of a function');
  expect(() => new module.exports.Made()).toThrow('a/module.js is not part of a function');
});

test.each(['dynamodb', 's3', 'sqs', 'ssm'])(
  'the schemas of the %s client keep their values without computed names',
  async (name) => {
    const file = join(MODULES, `@aws-sdk/client-${name}/dist-es/schemas/schemas_0.js`);
    const source = readFileSync(file, 'utf8');
    const text = withLiteralKeys(source);
    expect([source, text].map((one) => /\[_\w+\]: /.test(one))).toEqual([true, false]);
    const [before, after] = await Promise.all([source, text].map((contents) => valuesOf(contents, dirname(file))));
    expect(after).toBe(before);
  },
);

/** What a module exports, without functions. */
async function valuesOf(contents: string, resolveDir: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    write: false,
    logLevel: 'silent',
  });
  const module = { exports: {} };
  new Function('module', 'exports', 'require', outputFiles[0]?.text ?? '')(
    module,
    module.exports,
    createRequire(import.meta.url),
  );
  return JSON.stringify(Object.entries(module.exports));
}
