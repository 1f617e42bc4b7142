import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

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

/**
 * Modules of libraries that a function's bundle has otherwise, by their path under `node_modules`. The module's
 * other exports fail when they are used.
 */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  // Lambda puts a function's credentials into its environment; the other sources do not exist there.
  '@aws-sdk/credential-provider-node/dist-es/defaultProvider.js': `
    export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  // A function has no files with settings of the SDK.
  '@smithy/core/dist-es/submodules/config/node-config-provider/fromSharedConfigFiles.js': `
    import { CredentialsProviderError } from '../property-provider/CredentialsProviderError';
    export const fromSharedConfigFiles = () => async () => {
      throw new CredentialsProviderError('not set in the environment');
    };`,
  '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js': `
    export const getInstanceMetadataRegion = async () => undefined;`,
  // Without the versions of the operating system and of a type checker.
  '@aws-sdk/core/dist-es/submodules/client/util-user-agent-node/defaultUserAgent.js': `
    export { crtAvailability } from './crt-availability';
    export const createDefaultUserAgentProvider = ({ serviceId, clientVersion }) => async () => [
      ['aws-sdk-js', clientVersion],
      ['ua', '2.1'],
      ['lang/js'],
      ['md/nodejs', process.versions.node],
      ['api/' + serviceId, clientVersion],
    ];
    export const defaultUserAgent = createDefaultUserAgentProvider;`,
  // DynamoDB's own endpoints are not discovered by requests.
  '@aws-sdk/middleware-endpoint-discovery/dist-es/resolveEndpointDiscoveryConfig.js': `
    export const resolveEndpointDiscoveryConfig = (input) => input;`,
  // The operations in use have no streams of events.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export const resolveEventStreamSerdeConfig = (input) => input;`,
  // The tools' server names a validator of JSON schemas; its default is 150 KB.
  '@modelcontextprotocol/server/dist/shimsNode.mjs': `
    import process from 'node:process';
    export { process };`,
  // Node's, instead of the global object that loads all of Web Cryptography.
  '@smithy/core/dist-es/submodules/serde/uuid/v4.js': `
    import { randomUUID } from 'node:crypto';
    export const bindV4 = () => randomUUID;`,
};

/** Modules whose exports fail when they are used: no function needs them. By their path under `node_modules`. */
const LEFT_OUT: readonly RegExp[] = [
  // The SDK's code for browsers and for machines without Node's hashes.
  /^@(smithy|aws-sdk)\/[\w-]+\/dist-es\/.*\.browser\.js$/,
  /^@(smithy|aws-sdk)\/[\w-]+\/dist-es\/.*\/(Sha1Js|Sha256Js|Md5Js|Crc32Js)\.js$/,
  // Schemas as JSON, which only the OpenAPI document and the tools' contracts have.
  /^zod\/v4\/core\/(to-json-schema|json-schema-processors|json-schema-generator)\.js$/,
];
