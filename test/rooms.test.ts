import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = globSync(['{bin,bench,lib,functions,worker-container}/**/*.ts', 'console/src/**/*.{ts,tsx}'], {
  cwd: ROOT,
}).toSorted();

/** Files of a folder; above this it gets rooms. */
const FOLDER_SIZE = 15;
/** Folders that hold more, each with the reason. */
const LARGER: Readonly<Record<string, string>> = {
  bin: 'one file for each command that npm runs',
  'functions/jobs': 'one file for each route of a job, found by the name of its action',
  'lib/cli/commands': 'one file a command',
  'lib/contract': 'tables that everything else is derived from, each found by its name',
  'lib/contract/routes': 'one file for each resource of the interface',
  'lib/jobs/lifecycle': 'one file for each subject of a decision',
  'lib/platform/config': 'one file for each part of the settings',
};

/** Files of a folder of tests: a subject may have several for each of its sources. */
const TEST_FOLDER_SIZE = 25;

/** Lines of a file; above this it is split by what it holds. */
const FILE_SIZE = 300;
/** Files that `npm run generate` writes. */
const GENERATED = ['lib/client/api-types.ts', 'lib/mcp/tool-contracts.ts'];

/** Lines of a function, and of one that returns markup; above this its steps or parts get names. */
const FUNCTION_SIZE = { ts: 80, tsx: 100 } as const;
/** Functions that have more, each with the reason. */
const LONGER: Readonly<Record<string, string>> = {
  'bench/cost/cost-document.ts costDocument': 'the text of one page',
  'lib/jobs/lifecycle/lifecycle.ts decide': 'one case for each event of a job',
  'worker-container/drives/codex-app-server.ts createCodexDrive': 'functions that share the state of one turn',
};

/** The rooms that each room may import from: folders of lib, `functions` and `worker-container`. Extend it deliberately. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  client: ['contract'],
  cli: ['client', 'contract', 'doctor', 'mcp', 'vendors'],
  mcp: ['client', 'contract'],
  console: ['platform'],
  access: ['contract', 'platform'],
  accounts: ['contract', 'platform'],
  catalog: ['contract', 'platform'],
  vendors: ['contract'],
  platform: ['contract'],
  jobs: ['catalog', 'contract', 'deployments', 'platform', 'projects', 'stats', 'vendors', 'workers'],
  projects: ['catalog', 'contract', 'platform', 'stats'],
  deployments: ['contract', 'jobs', 'platform', 'projects', 'workers'],
  workers: ['accounts', 'contract', 'deployments', 'jobs', 'platform', 'reconciler', 'stats'],
  stats: ['catalog', 'contract', 'jobs', 'platform', 'projects', 'workers'],
  reconciler: ['contract', 'deployments', 'jobs', 'platform'],
  composition: ['accounts', 'catalog', 'deployments', 'jobs', 'platform', 'projects', 'reconciler', 'stats', 'workers'],
  api: [
    'access',
    'accounts',
    'catalog',
    'composition',
    'contract',
    'deployments',
    'jobs',
    'platform',
    'projects',
    'stats',
    'workers',
  ],
  doctor: ['access', 'catalog', 'client', 'contract', 'jobs', 'local', 'platform', 'projects', 'stats'],
  local: ['access', 'api', 'catalog', 'contract', 'jobs', 'platform', 'stats'],
  stacks: ['access', 'catalog', 'contract', 'platform', 'stats'],
  functions: [
    'access',
    'accounts',
    'api',
    'catalog',
    'composition',
    'console',
    'contract',
    'deployments',
    'jobs',
    'mcp',
    'platform',
    'projects',
    'reconciler',
    'stats',
    'workers',
  ],
  'worker-container': [
    'accounts',
    'catalog',
    'composition',
    'contract',
    'deployments',
    'jobs',
    'platform',
    'projects',
    'reconciler',
    'vendors',
    'workers',
  ],
};

/** Files of ours that each file imports, types too. */
const IMPORTS = new Map(SOURCES.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const written = [...text.matchAll(/^(?:import|export)\s(?:[^'"]*?\sfrom\s)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gms)];
  const targets = written.map((match) => normalize(join(dirname(file), match[1] ?? match[2] ?? '')));
  return [...new Set(targets)].filter((target) => SOURCES.includes(target));
}

test('no folder holds more files than a reader takes in at once', () => {
  const sizes = new Map<string, number>();
  for (const file of SOURCES) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  const large = [...sizes].filter(([, size]) => size > FOLDER_SIZE).map(([folder]) => folder);
  expect(large).toEqual(Object.keys(LARGER));
});

test('no folder of tests holds more files than a reader can scan', () => {
  const folders = Object.groupBy(globSync('test/**/*.ts', { cwd: ROOT }), (file) => dirname(file));
  const large = Object.entries(folders).filter(([, files = []]) => files.length > TEST_FOLDER_SIZE);
  expect(large.map(([folder]) => folder)).toEqual([]);
});

test('no file that people write is longer than a reader takes in at once', () => {
  const isLong = (file: string) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length > FILE_SIZE;
  expect(SOURCES.filter(isLong)).toEqual(GENERATED);
});

test('no function is longer than a reader takes in at once', () => {
  expect(SOURCES.flatMap(longFunctions)).toEqual(Object.keys(LONGER));
});

/** `FILE NAME` of each function of a file that is too long. */
function longFunctions(file: string): string[] {
  const kind = file.endsWith('x') ? 'tsx' : 'ts';
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (text.split('\n').length <= FUNCTION_SIZE[kind]) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const length = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
    if (length <= FUNCTION_SIZE[kind]) return;
    const name = 'name' in node ? (node.name as ts.Node | undefined)?.getText(source) : undefined;
    if (ts.isFunctionLike(node)) found.push(`${file} ${name ?? `at line ${lineOf(node.getStart(source)) + 1}`}`);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
}

test('rooms import only from the rooms they may', () => {
  const found: Record<string, string[]> = Object.fromEntries(Object.keys(MAY_IMPORT).map((room) => [room, []]));
  for (const [file, targets] of IMPORTS) {
    // The console is a separate application; lib/console is the room that publishes it.
    if (file.startsWith('console/')) continue;
    const from = found[roomOf(file)];
    for (const room of targets.map(roomOf)) if (room !== roomOf(file) && !from?.includes(room)) from?.push(room);
  }
  for (const rooms of Object.values(found)) rooms.sort();
  expect(found).toEqual(MAY_IMPORT);
});

/** The room of a file: its folder below lib, else its first folder. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'lib' ? second : first;
}

test('no two folders import each other', () => {
  const edges = [...IMPORTS].flatMap(([file, targets]) =>
    targets.filter((target) => dirname(target) !== dirname(file)).map((target) => ({ file, target })),
  );
  const edgesByFolders = Object.groupBy(edges, ({ file, target }) => `${dirname(file)} → ${dirname(target)}`);
  const mutual = edges.filter(({ file, target }) => `${dirname(target)} → ${dirname(file)}` in edgesByFolders);
  expect(mutual.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
});

test('no files import each other in a cycle, types included', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    done.add(file);
    for (const target of IMPORTS.get(file) ?? []) visit(target, [...path, file]);
  };
  for (const file of SOURCES) visit(file, []);
  expect(cycles).toEqual([]);
});
