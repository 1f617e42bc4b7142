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
  'lib/contract/schemas': 'one file for each resource of the interface',
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

/**
 * The rooms, from the ground up: the folders of lib, and the others with sources. A room imports only from floors below
 * its own, types too, so no rooms import each other, in a circle either. Rooms of one floor don't know each other.
 */
const FLOORS = [
  ['lib/contract'],
  ['lib/client', 'lib/platform', 'lib/vendors'],
  ['lib/access', 'lib/accounts', 'lib/catalog', 'lib/counters', 'lib/live', 'lib/mcp'],
  ['lib/projects'],
  ['lib/bindings', 'lib/diagrams'],
  ['lib/jobs'],
  ['lib/events', 'lib/exports', 'lib/workers'],
  ['lib/automations', 'lib/deployments', 'lib/stats'],
  ['lib/reconciler', 'lib/subscriptions'],
  ['lib/composition'],
  ['lib/api'],
  ['functions', 'lib/local', 'lib/stacks', 'worker-container'],
  ['lib/doctor'],
  ['lib/cli'],
  ['bench', 'bin', 'console'],
] as const;

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

/** The room of a file: its folder below lib, else its first folder. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'lib' ? `lib/${second}` : first;
}

test('each room imports only from floors below its own', () => {
  const floorOf = new Map<string, number>(
    FLOORS.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)),
  );
  expect([...new Set(SOURCES.map(roomOf))].toSorted()).toEqual(FLOORS.flat().toSorted());
  const upward = [...IMPORTS].flatMap(([file, targets]) =>
    targets
      .filter((target) => roomOf(target) !== roomOf(file))
      .filter((target) => (floorOf.get(roomOf(target)) ?? 0) >= (floorOf.get(roomOf(file)) ?? 0))
      .map((target) => `${file} → ${target}`),
  );
  expect(upward).toEqual([]);
});

test('the picture in CONTRIBUTING.md shows these floors', () => {
  const rows = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\| (\d+) \| `([^`]+)` \|/gm);
  const floors = FLOORS.flatMap((rooms, floor) => rooms.map((room) => `${floor} ${room}`));
  expect([...rows].map(([, floor, room]) => `${floor} ${room}`)).toEqual(floors.toReversed());
});

test('no folders import each other in a circle', () => {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of IMPORTS) {
    const others = targets.map((target) => dirname(target)).filter((folder) => folder !== dirname(file));
    folders.set(dirname(file), new Set([...(folders.get(dirname(file)) ?? []), ...others]));
  }
  expect(circlesIn(folders)).toEqual([]);
});

test('no files import each other in a circle, types included', () => {
  expect(circlesIn(IMPORTS)).toEqual([]);
});

/** The ways that lead back to where they start. */
function circlesIn(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' → '));
    if (done.has(name)) return;
    done.add(name);
    for (const target of graph.get(name) ?? []) visit(target, [...path, name]);
  };
  for (const name of graph.keys()) visit(name, []);
  return circles;
}
