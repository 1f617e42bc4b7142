import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../lib/cli/command-table.ts';
import { LIST_OPTIONS } from '../../../lib/cli/jobs/list-options.ts';
import { ROUTES_WITHOUT_COMMAND } from '../../../lib/cli/routes-without-command.ts';
import type { paths } from '../../../lib/client/api-types.ts';
import { BASE_PATH } from '../../../lib/contract/route.ts';
import { routes } from '../../../lib/contract/routes/routes.ts';
import openapi from '../../../openapi.json' with { type: 'json' };
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { startUnreliableProxy, type UnreliableProxy } from '../../stand-ins/unreliable-proxy.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

const ids: readonly string[] = routes.map(({ id }) => id);

test('every route is called by a command, or listed with the reason why not', () => {
  const called = new Set(COMMANDS.flatMap((command) => command.routes));
  expect([...called].filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids.filter((id) => !called.has(id)).toSorted()).toEqual(Object.keys(ROUTES_WITHOUT_COMMAND).toSorted());
});

test('every route is one of the typed client, but for that of the MCP protocol and for unknown actions', () => {
  const typed: readonly string[] = Object.keys(openapi.paths) satisfies readonly (keyof paths | string)[];
  const missing = routes.map(({ path }) => `${BASE_PATH}${path}`).filter((path) => !typed.includes(path));
  expect([...new Set(missing)]).toEqual(['/api/v1/jobs/{id}/{action}', '/api/v1/mcp']);
});

test('every filter of the list is an option of `list`', () => {
  const parameters = openapi.paths['/api/v1/jobs'].get.parameters.map(({ name }) => name);
  const set = LIST_OPTIONS.map(({ parameter }) => parameter);
  // Pages are found by their cursor.
  expect(parameters.filter((name) => name !== 'offset').toSorted()).toEqual(set.toSorted());
});

test('every schema of --json is one of the document', () => {
  const named = COMMANDS.flatMap(({ json, jsonLines = [] }) => [...(json === undefined ? [] : [json]), ...jsonLines]);
  expect(named.filter((name) => !Object.hasOwn(openapi.components.schemas, name))).toEqual([]);
});

describe('the routes that a command calls', () => {
  const home = emptyHome();
  let service: ServiceUnderTest;
  let proxy: UnreliableProxy;
  let id: string;
  beforeAll(async () => {
    service = await sharedService();
    proxy = await startUnreliableProxy(service.baseUrl, {});
    const script = 'echo x > $PROMPTQ_ATTACHMENTS/x';
    id = (await promptq('run', '--detach', '--profile', 'shell', script)).stdout.trim();
    await promptq('wait', id);
  });
  afterAll(async () => {
    await proxy.stop();
  });
  const { run, promptq } = commandsOf(() => service, home);

  /** Arguments of each command that make it call what it can. */
  const CALLS: Readonly<Record<string, readonly string[]>> = {
    login: ['URL'],
    run: ['--profile', 'shell', 'true'],
    attachments: ['ID', '--output', `${home}/files`],
    continue: ['ID', 'true', '--detach'],
    fork: ['ID', 'true', '--detach'],
    answer: ['ID', 'yes', '--question', 'q_none'],
    edit: ['ID', '--title', 'x'],
    remove: ['job_none', '--yes'],
    'delete-output': ['job_none', '--yes'],
    doctor: [],
    platform: [],
    list: [],
    profiles: [],
    projects: [],
    parameters: ['region=eu', '--remove', 'region'],
    diagrams: [],
    schedule: ['nightly', 'true', '--cron', '@yearly', '--timezone', 'UTC'],
    hook: ['outside', 'true', '--profile', 'practice'],
    on: ['after', 'true', '--profile', 'practice', '--event', 'job.failed', '--of-project', 'nothing'],
    automations: [],
    subscribe: ['ops', '--webhook', 'https://hooks.example.com/'],
    subscriptions: [],
    events: [],
    record: ['ID', '--output', `${home}/record.zip`],
    export: ['jobs', '--output', `${home}/jobs.jsonl`],
    templates: [],
    completion: ['bash'],
  };

  // mcp.test.ts holds this for the tools of `promptq mcp`; `promptq dev` runs until it is interrupted (package.test.ts), and
  // `promptq api` calls what it is asked for (api.test.ts).
  const called = COMMANDS.filter(({ name }) => !['mcp', 'dev', 'api'].includes(name));
  test.each(called.map(({ name, routes: declared }) => [name, declared] as const))('%s', async (name, declared) => {
    const args = (CALLS[name] ?? ['ID']).map((arg) => ({ ID: id, URL: proxy.url })[arg] ?? arg);
    const from = proxy.requests.length;
    await run([name, ...args], { env: { PROMPTQ_URL: proxy.url }, stdin: service.token });
    const requested = new Set(proxy.requests.slice(from).map(routeOf));
    expect([...requested].filter((route) => !declared.includes(route))).toEqual([]);
    expect(requested.size > 0).toBe(declared.length > 0);
  });
});

function routeOf(request: string): string {
  const [method, target = ''] = request.split(' ');
  const segments = (target.split('?')[0] ?? '').replace(BASE_PATH, '').split('/');
  const route = routes.find(({ method: its, path }) => {
    const own = path.split('/');
    return (
      its === method &&
      own.length === segments.length &&
      own.every((part, at) => part.startsWith('{') || part === segments[at])
    );
  });
  return route?.id ?? request;
}
