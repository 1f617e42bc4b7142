import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jobCommands } from '../../console/src/jobs/terminal/job-commands.ts';
import type { PageCommand } from '../../console/src/terminal/page-command.ts';
import { PAGE_COMMANDS } from '../../console/src/terminal/page-commands.ts';
import { COMMANDS } from '../../lib/cli/command-table.ts';
import { createProgram } from '../../lib/cli/program.ts';
import { BASE_PATH } from '../../lib/contract/route.ts';
import { routes } from '../../lib/contract/routes/routes.ts';

/** Pages that only redirect or report an unknown address. */
const WITHOUT = ['/', '/signed-in', '*'];
/** Its commands depend on the job. */
const JOB_PAGE = '/jobs/:id';
/** What an API token can't do, so that no command does it. */
const BROWSER_ONLY = routes.flatMap(({ id, auth }): string[] => (auth.only === 'admin-sessions' ? [id] : []));

const ADDRESS = { '/jobs': 'status=FAILED&project=a b&created_after=2026-11-20T00:00:00Z&order=oldest&cursor=x' };
const commandsOf = (path: string): readonly PageCommand[] =>
  PAGE_COMMANDS[path]?.(new URLSearchParams(ADDRESS[path as keyof typeof ADDRESS]), {}) ?? [];
const ALL = Object.keys(PAGE_COMMANDS).flatMap(commandsOf);
const JOB = {
  ...{ id: 'job_1', status: 'SUCCEEDED', agent: 'codex', attempt: 1, turn: 1, thread_id: 'job_1', changes: {} },
  ...{ cwd: null, state_reason: { code: 'exited' } },
  ...{ question: null, deployments: [{ name: 'ci', binding: 'b_1' }] },
};
/** What an import names. */
interface ImportedNames {
  readonly rules?: readonly { readonly id: string }[];
  readonly profiles?: readonly { readonly name: string }[];
  readonly bindings?: readonly { readonly project: string }[];
}
const ON_A_JOB = ['SUCCEEDED', 'RUNNING', 'QUEUED', 'DRAFT'].flatMap((status) => [
  ...jobCommands({ ...JOB, status, question: { id: 'q_1', state: 'open' } } as unknown as Parameters<
    typeof jobCommands
  >[0]),
]);

/** The id of the route that a method and a path without a query belong to. */
function routeOf(method: string, target: string): string | undefined {
  const segments = (target.split('?')[0] ?? '').split('/');
  const found = routes.filter(({ method: its, path }) => {
    const own = path.split('/');
    const fits = own.every((part, at) => part.startsWith('{') || part === segments[at]);
    return its === method && own.length === segments.length && fits;
  });
  // A path with fewer parameters is the more exact one.
  return found.toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)[0]?.id;
}

describe('the commands shown for each page', () => {
  test('every page is in the table', () => {
    const source = readFileSync('console/src/pages.tsx', 'utf8');
    const paths = [...source.matchAll(/<Route path="([^"]+)"/g)].map(([, path = '']) => path);
    const listed = [...Object.keys(PAGE_COMMANDS), ...WITHOUT, JOB_PAGE];
    expect(listed.toSorted()).toEqual(paths.toSorted());
  });

  test('promptq accepts every command, and the route its request', async () => {
    for (const command of [...ALL, ...ON_A_JOB]) {
      if ('none' in command) continue;
      const { args, request } = command;
      const program = createProgram({ version: '0', commands: COMMANDS }, async () => undefined);
      await program.parseAsync([...args], { from: 'user' });
      if (request === undefined) continue;
      const route = routes.find(({ id }) => id === routeOf(request.method, request.path));
      expect(route, `${request.method} ${request.path}`).toBeDefined();
      const query = new URL(request.path, 'http://x').searchParams;
      if (query.size > 0) route?.query?.parse(Object.fromEntries(query));
      if (request.body !== undefined) route?.body?.parse(request.body);
      const [name, method, path, , data] = args;
      if (name !== 'api') continue;
      // A body without fields may be left out.
      const { body, ...rest } = request;
      const sent = body !== undefined && JSON.stringify(body) !== '{}' ? { ...rest, body } : rest;
      const given = data === undefined || data === '{}' ? {} : { body: JSON.parse(data) };
      expect({ method, path, ...given }).toEqual(sent);
    }
  });

  test('a shown command needs editing before it changes an entry or answers a question', () => {
    for (const path of Object.keys(PAGE_COMMANDS))
      for (const shown of PAGE_COMMANDS[path]?.(new URLSearchParams(), { id: 'house', name: 'review' }) ?? []) {
        if ('none' in shown || shown.request?.path !== '/config/import') continue;
        expect(JSON.stringify(shown.request.body)).not.toMatch(/house|review/);
        const { rules = [], profiles = [], bindings = [] } = shown.request.body as ImportedNames;
        const names = [...rules.map(({ id }) => id), ...profiles.map(({ name }) => name)];
        for (const name of [...names, ...bindings.map(({ project }) => project)]) expect(name).toMatch(/^[A-Z]+$/);
      }
    const texts = ON_A_JOB.filter(({ label }) => ['Answer', 'Send a message', 'Continue', 'Fork'].includes(label));
    expect(texts.length).toBeGreaterThan(4);
    for (const { args } of texts) expect(args.at(-1)).toMatch(/^[A-Z]+$/);
  });

  test('every request of the console has a shown command or a listed reason', () => {
    const sources = globSync('console/src/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));
    // A call of the typed client, or the address of a GET.
    const calls = /(?:api\.([A-Z]+)\(\s*)?['"`](\/api\/v1\/[^'"`?]+)/g;
    const ids = sources.flatMap((source) =>
      [...source.matchAll(calls)].map(([, method = 'GET', path = '']) => {
        return routeOf(method, path.replace(BASE_PATH, '').replaceAll('${encodeURIComponent', '{')) ?? path;
      }),
    );
    const shown = [...ALL, ...ON_A_JOB].flatMap((command): readonly (string | undefined)[] => {
      if ('none' in command) return [];
      const [name, method = '', path = ''] = command.args;
      if (name === 'api') return [routeOf(method, path)];
      return COMMANDS.find((spec) => spec.name === name)?.routes ?? [];
    });
    expect(new Set(ids).size).toBeGreaterThan(30);
    const missing = [...new Set(ids)].filter((id) => !shown.includes(id) && !BROWSER_ONLY.includes(id));
    expect(missing).toEqual([]);
  });
});
