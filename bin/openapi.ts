import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { createOpenApi } from '../lib/contract/openapi/openapi.ts';
import { ACCEPTED_CHANGES, breakingChanges, type ComparedDocument } from '../lib/contract/openapi/openapi-changes.ts';
import { wholePath } from '../lib/contract/route.ts';
import { doors, routes } from '../lib/contract/routes/routes.ts';
import type { Scope } from '../lib/contract/scopes.ts';
import { TOOL_INPUTS } from '../lib/mcp/tool-inputs.ts';
import { TOOLS } from '../lib/mcp/tool-table.ts';

/**
 * Writes openapi.json from the routing table, and the types of clients from openapi.json. `--check` reports stale files
 * instead; `--release` makes it the contract for later versions, and fails if it breaks the previous one.
 */
const fileAt = (path: string) => new URL(`../${path}`, import.meta.url);
const { version } = JSON.parse(readFileSync(fileAt('package.json'), 'utf8')) as { version: string };
const document = createOpenApi(routes, version);
const text = `${JSON.stringify(document, null, 2)}\n`;

if (process.argv.includes('--release')) release();
else {
  const types = astToString(await openapiTS(document as unknown as OpenAPI3, { alphabetize: false }));
  const header =
    '/** Generated from openapi.json by `npm run generate`: types for openapi-fetch and other clients. */\n\n';
  write('openapi.json', text);
  write('lib/client/api-types.ts', `${header}${types}`);
  write('lib/contract/allowed-methods.ts', allowedMethods());
  write('lib/mcp/tool-contracts.ts', toolContracts());
}

/** The methods of each path, separate from the routing table, which would enlarge the function that uses them. */
function allowedMethods(): string {
  const byPath = Map.groupBy(doors, wholePath);
  const lines = [...byPath].map(([path, served]) => {
    const methods = served.map(({ method }) => `'${method}'`).sort();
    return `  '${path}': [${methods.join(', ')}],\n`;
  });
  return [
    '/** Generated from the routing table by `npm run generate`: the methods of each resource, in alphabetical order. */\n',
    'export const ALLOWED_METHODS: Readonly<Record<string, readonly string[]>> = {\n',
    ...lines,
    '};\n',
  ].join('');
}

/** What the servers of the tools need of the routes, whose schemas lose their descriptions in the bundles of functions. */
function toolContracts(): string {
  const scopes = new Map<string, Scope>(routes.map(({ id, auth }) => [id, auth.scope]));
  const contracts = TOOLS.map(({ name, routes: called }) => {
    const needed = new Set(called.map((id) => scopes.get(id)));
    return [name, { scopes: [...needed], input: TOOL_INPUTS[name] }] as const;
  });
  return [
    "import type { Scope } from '../contract/scopes.ts';",
    "import type { ToolName } from './tool-table.ts';",
    '',
    "/** A JSON Schema of a tool's arguments. */",
    'interface Input {',
    '  readonly properties: Readonly<Record<string, object>>;',
    '  readonly [member: string]: unknown;',
    '}',
    '',
    '/** Generated from the routing table by `npm run generate`: the scopes and the arguments of each tool. */',
    'export const TOOL_CONTRACTS: Readonly<',
    '  Record<ToolName, { readonly scopes: readonly Scope[]; readonly input: Input }>',
    `> = ${JSON.stringify(Object.fromEntries(contracts), null, 2)};\n`,
  ].join('\n');
}

function write(path: string, wanted: string): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(fileAt(path), wanted);
  } else if (readFileSync(fileAt(path), 'utf8') !== wanted) {
    console.error(`${path} is stale: run \`npm run generate\` and commit the result`);
    process.exitCode = 1;
  }
}

function release(): void {
  const file = fileAt('openapi.released.json');
  const released = JSON.parse(readFileSync(file, 'utf8')) as ComparedDocument;
  const found = breakingChanges(released, JSON.parse(text) as ComparedDocument);
  const changes = found.filter((change) => !(change in ACCEPTED_CHANGES));
  for (const change of changes) console.error(change);
  if (changes.length > 0) process.exitCode = 1;
  else writeFileSync(file, text);
}
