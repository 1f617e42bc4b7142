import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';
import { LEFT_OUT, REPLACEMENTS } from './sdk-replacements.ts';

/** An esbuild plugin that leaves out of libraries what a function in Lambda cannot use. */
export const leanSdk: Plugin = {
  name: 'lean-sdk',
  setup(build) {
    // Middy looks whether an answer is a stream of the web's kind, which loads all of them.
    build.onResolve({ filter: /^node:stream\/web$/ }, ({ importer }) =>
      moduleOf(importer).startsWith('@middy/') ? { path: 'stream/web', namespace: 'lean-sdk' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'lean-sdk' }, () => ({ contents: 'export class ReadableStream {}' }));
    build.onLoad(
      { filter: /\/node_modules\/(@smithy|@aws-sdk|@modelcontextprotocol|zod)\/.*\.m?js(on)?$/ },
      async ({ path }) => {
        const module = moduleOf(path);
        const contents = await changed(module, path);
        return contents === undefined ? undefined : { contents, resolveDir: dirname(path), loader: 'js' };
      },
    );
  },
};

/** A file's path under the innermost `node_modules`. */
function moduleOf(path: string): string {
  return path.slice(path.lastIndexOf('/node_modules/') + '/node_modules/'.length);
}

async function changed(module: string, path: string): Promise<string | undefined> {
  const read = async () => await readFile(path, 'utf8');
  const replacement = REPLACEMENTS[module] ?? (LEFT_OUT.some((pattern) => pattern.test(module)) ? '' : undefined);
  if (replacement !== undefined) return replaced(module, await read(), replacement);
  if (/\/dist-es\/schemas\/schemas_\d+\.js$/.test(module)) return withLiteralKeys(await read());
  if (/^@aws-sdk\/[\w-]+\/package\.json$/.test(module)) return versionOnly(await read());
  return undefined;
}

/** A replacement with the other exports of its module, which fail when they are used. */
function replaced(module: string, source: string, replacement: string): string {
  const own = new Set(exportsOf(replacement));
  const message = JSON.stringify(`${module} is not part of a function's bundle`);
  return [
    `class LeftOut { constructor() { throw new Error(${message}); } }`,
    `const leftOut = () => { throw new Error(${message}); };`,
    replacement,
    ...exportsOf(source)
      .filter((name) => !own.has(name))
      .map((name) => `export { ${/^[A-Z]/.test(name) ? 'LeftOut' : 'leftOut'} as ${name} };`),
  ].join('\n');
}

/** The names that a module exports, as compilers write them. */
function exportsOf(source: string): string[] {
  const declared = [...source.matchAll(/^ *export (?:const|let|var|class|(?:async )?function\*?) (\w+)/gm)];
  const listed = [...source.matchAll(/^ *export \{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','));
  const names = listed.map((name) => name.trim().split(/ as /).at(-1) ?? '');
  return [...new Set([...declared.map(([, name = '']) => name), ...names.filter((name) => name !== '')])];
}

/**
 * The schemas of a client with names of their members instead of references to them. A bundler keeps an object with
 * computed names, because computing one may do something.
 */
function withLiteralKeys(source: string): string {
  const texts = new Map([...source.matchAll(/^const (\w+) = ("[^"]*");$/gm)].map(([, name, text]) => [name, text]));
  return source.replaceAll(/\[(\w+)\]: /g, (all, name: string) => (texts.has(name) ? `${texts.get(name)}: ` : all));
}

function versionOnly(source: string): string {
  const { version } = JSON.parse(source) as { version: string };
  return `export const version = ${JSON.stringify(version)}; export default { version };`;
}
