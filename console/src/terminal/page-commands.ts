import { flagOf } from '../../../lib/cli/base/option.ts';
import { LIST_OPTIONS } from '../../../lib/cli/jobs/list-options.ts';
import { activeFilters, readFilters } from '../jobs/queries/job-filters.ts';
import { api, type CommandsOf, command, type PageCommand } from './page-command.ts';
import { SUBSCRIPTION_COMMANDS } from './subscription-commands.ts';

const none = (label: string, why: string): PageCommand => ({ label, none: why });
const BROWSER_ONLY = "An API token can't do this. It needs an administrator's session in a browser.";
const TOKEN_TOOL = `${BROWSER_ONLY} Operators of the deployment have npm run token.`;

// An import replaces whole entries: run as they are, these change none that exists.
const RULE = { id: 'RULE', text: 'TEXT' };
const PROFILE = { name: 'PROFILE', agent: 'codex' };
const BINDING = { binding_mode: 'custom', project: 'PROJECT', name: 'checks', command: 'npm test' };
const TEMPLATE = { prompt: 'Upgrade {{package}}', parameters: [{ name: 'package', type: 'string' }] };
const VALUES = { parameters: { NAME: 'VALUE' } };
const VALUE = 'NAME=VALUE';
const CHOSEN = 'JOB';
/** The filters of the feed of events that `promptq events` has options for, and all of them. */
const EVENT_OPTIONS = ['type', 'project', 'job'];
const EVENT_FILTERS = [...EVENT_OPTIONS, 'template', 'automation'];

const SCHEDULE = { cron: '0 3 * * *', timezone: 'Europe/Berlin' };
const NEW_AUTOMATION = command(
  'New automation',
  ['schedule', 'NAME', 'PROMPT', '--cron', SCHEDULE.cron, '--timezone', SCHEDULE.timezone],
  'POST',
  '/automations',
  { name: 'NAME', trigger: { schedule: SCHEDULE }, job: { prompt: 'PROMPT' } },
);

/** What is done with an automation. */
const acting = (name: string) => {
  const path = `/automations/${encodeURIComponent(name)}`;
  const act = (label: string, verb: string, method: string, to: string, body?: unknown) =>
    command(label, ['automations', verb, name], method, to, body);
  return [
    act('Run now', 'run', 'POST', `${path}/run`),
    act('Enable', 'enable', 'PATCH', path, { enabled: true }),
    act('Disable', 'disable', 'PATCH', path, { enabled: false }),
    act('Delete', 'delete', 'DELETE', path),
  ];
};

/** The file has the template, in YAML or JSON. */
const saving = (label: string, name: string) => {
  const path = `/templates/${encodeURIComponent(name)}`;
  return command(label, ['templates', 'save', 'FILE', `--name=${name}`], 'PUT', path, TEMPLATE);
};
const importing = (label: string, body: unknown) => api(label, 'POST', '/config/import', body);
const DESCRIPTION = api('Description of the API', 'GET', '/openapi.json');
const EXPORT = api('Export', 'GET', '/config/export');
const action = (label: string, name: string) => command(label, [name, CHOSEN], 'POST', `/jobs/${CHOSEN}/${name}`, {});

/**
 * What each page does, by the page's path. A job's page is missing: its commands depend on its state (`jobCommands`).
 */
export const PAGE_COMMANDS: Readonly<Record<string, CommandsOf>> = {
  '/jobs': (query) => [
    listed(query),
    command('New job', ['run', 'Say hello'], 'POST', '/jobs', { prompt: 'Say hello' }),
    action('Cancel a job', 'cancel'),
    action('Retry a job', 'retry'),
    action('Kill a job', 'kill'),
  ],
  '/jobs/new': () => [
    command('Queue job', ['run', 'Say hello'], 'POST', '/jobs', { prompt: 'Say hello' }),
    command('Save as draft', ['run', '--draft', 'Say hello'], 'POST', '/jobs', { prompt: 'Say hello', draft: true }),
  ],
  '/jobs/:id/edit': (_, { id = CHOSEN }) => [
    command('Edit the job', ['edit', id, '--priority', '1'], 'PATCH', `/jobs/${id}`, { priority: 1 }),
    command('If it is a draft', ['edit', id, '--priority', '1'], 'PATCH', `/jobs/${id}/draft`, { priority: 1 }),
  ],
  '/compare': (query) =>
    ['a', 'b'].map((side) => {
      const [id = CHOSEN] = (query.get(side) ?? CHOSEN).split(':');
      return command(`Result ${side.toUpperCase()}`, ['result', id], 'GET', `/jobs/${encodeURIComponent(id)}/result`);
    }),
  '/questions': () => [
    command('Open questions', ['questions'], 'GET', '/jobs?needs=answer&order=oldest'),
    command('Questions of a job', ['questions', CHOSEN], 'GET', `/jobs/${CHOSEN}/questions`),
    command('Answer', ['answer', CHOSEN, 'ANSWER'], 'POST', `/jobs/${CHOSEN}/answers`, {
      question_id: 'QUESTION',
      answer: 'ANSWER',
    }),
  ],
  '/stats': () => [api('Statistics', 'GET', '/stats')],
  '/environment': () => [
    api('Environment', 'GET', '/environment'),
    command('Agents, features and what is missing', ['platform'], 'GET', '/platform'),
    command('Check the service', ['doctor'], 'GET', '/health'),
    DESCRIPTION,
  ],
  '/projects': () => [
    command('Projects', ['projects'], 'GET', '/projects'),
    command('Jobs of a project', ['list', '--project=PROJECT'], 'GET', '/jobs?project=PROJECT'),
    api('Settings of a project', 'PATCH', '/projects/PROJECT', { repository: 'https://git.example.com/app.git' }),
    command('Parameters of a project', ['parameters', '--project=PROJECT'], 'GET', '/parameters?project=PROJECT'),
    command(
      'Set a parameter',
      ['parameters', '--project=PROJECT', 'region=eu-central-1'],
      'PUT',
      '/parameters/region?project=PROJECT',
      { value: 'eu-central-1' },
    ),
    api('Delete a project', 'DELETE', '/projects/PROJECT'),
  ],
  '/templates': () => [
    command('Templates', ['templates'], 'GET', '/templates'),
    saving('Create or edit a template', 'TEMPLATE'),
    command('Delete a template', ['templates', 'delete', 'TEMPLATE'], 'DELETE', '/templates/TEMPLATE'),
  ],
  '/templates/-/new': () => [saving('Create the template', 'TEMPLATE')],
  '/templates/:name': (query, { name = 'TEMPLATE' }) => {
    const path = `/templates/${encodeURIComponent(name)}`;
    const version = [...query].filter(([key]) => key === 'version');
    const shown = ['templates', 'show', name, ...version.map(([, number]) => `--template-version=${number}`)];
    return [
      command('This version', shown, 'GET', pathWith(path, version)),
      command('Versions', ['templates', 'versions', name], 'GET', `${path}/versions`),
      command('Its jobs', ['list', `--template=${name}`], 'GET', pathWith('/jobs', [['template', name]])),
      command('Delete the template', ['templates', 'delete', name], 'DELETE', path),
    ];
  },
  '/templates/:name/edit': (_, { name = 'TEMPLATE' }) => [
    command('Read the template', ['templates', 'show', name], 'GET', `/templates/${encodeURIComponent(name)}`),
    saving('Write a new version', name),
  ],
  '/templates/:name/run': (query, { name = 'TEMPLATE' }) => {
    const version = Number(query.get('version')) || undefined;
    const args = ['run', `--template=${name}`, ...(version === undefined ? [] : [`--template-version=${version}`])];
    const chosen = { ...(version !== undefined && { template_version: version }), ...VALUES };
    const job = { template: name, ...chosen };
    return [
      command(
        'Preview',
        [...args, VALUE, '--preview'],
        'POST',
        `/templates/${encodeURIComponent(name)}/render`,
        chosen,
      ),
      command('Queue job', [...args, VALUE], 'POST', '/jobs', job),
      command('Save as draft', [...args, VALUE, '--draft'], 'POST', '/jobs', { ...job, draft: true }),
    ];
  },
  '/diagrams': (query) => {
    const project = query.get('project') ?? 'local_project';
    const name = query.get('name') ?? 'NAME';
    const path = `/diagrams/${encodeURIComponent(name)}?project=${encodeURIComponent(project)}`;
    const of = [`--project=${project}`];
    return [
      command('Diagrams', ['diagrams', ...of], 'GET', pathWith('/diagrams', [['project', project]])),
      command('Show a diagram', ['diagrams', 'show', name, ...of], 'GET', path),
      command('Save a diagram', ['diagrams', 'save', 'FILE', ...of], 'PUT', path, { text: 'flowchart LR' }),
      command('Delete a diagram', ['diagrams', 'delete', name, ...of], 'DELETE', path),
    ];
  },
  '/rules': () => [
    api('Rules', 'GET', '/rules'),
    importing('Create or edit a rule', { rules: [RULE] }),
    api('Delete a rule', 'DELETE', '/rules/RULE'),
  ],
  '/rules/new': () => [importing('Create the rule', { rules: [RULE] })],
  '/rules/:id/edit': () => [EXPORT, importing('Replace a rule', { rules: [RULE] })],
  '/profiles': () => [
    command('Profiles', ['profiles'], 'GET', '/profiles'),
    importing('Create or edit a profile', { profiles: [PROFILE] }),
    api('Delete a profile', 'DELETE', '/profiles/PROFILE'),
  ],
  '/profiles/new': () => [importing('Create the profile', { profiles: [PROFILE] })],
  '/profiles/:name/edit': () => [EXPORT, importing('Replace a profile', { profiles: [PROFILE] })],
  '/bindings': () => [
    api('Deploy bindings', 'GET', '/deploy-bindings'),
    api('Create or edit a binding', 'POST', '/deploy-bindings', BINDING),
    api('Delete a binding', 'DELETE', '/deploy-bindings/BINDING'),
  ],
  '/configuration': () => [EXPORT, importing('Import', { rules: [RULE], profiles: [PROFILE] })],
  '/account': () => [
    api('State of the account', 'GET', '/codex-account'),
    api('Link the account', 'POST', '/codex-account/start', {}),
    api('Cancel linking', 'POST', '/codex-account/cancel', {}),
    api('Unlink the account', 'DELETE', '/codex-account'),
  ],
  '/api-tokens': () => [
    none('List tokens', TOKEN_TOOL),
    none('Create, suspend, resume or revoke a token', TOKEN_TOOL),
    command('Check and save a token', ['login'], 'GET', '/session'),
  ],
  '/sessions': () => [none('List or end sessions', BROWSER_ONLY)],
  '/automations': () => [
    command('Automations', ['automations'], 'GET', '/automations'),
    NEW_AUTOMATION,
    ...acting('NAME'),
  ],
  '/automations/-/new': () => [NEW_AUTOMATION],
  '/automations/-/calendar': () => [api('What comes', 'GET', '/automations?due_from=2026-11-30T00:00:00Z')],
  '/automations/:id': (_, { id = 'NAME' }) => [
    command('This automation', ['automations', 'show', id], 'GET', `/automations/${encodeURIComponent(id)}`),
    command('Runs', ['automations', 'runs', id], 'GET', `/automations/${encodeURIComponent(id)}/runs`),
    ...acting(id),
  ],
  '/automations/:id/edit': (_, { id = 'NAME' }) => [
    api('Save', 'PATCH', `/automations/${encodeURIComponent(id)}`, { trigger: { schedule: SCHEDULE } }),
  ],
  '/events': (query) => {
    const given = [...query].filter(([name, value]) => EVENT_FILTERS.includes(name) && value !== '');
    const options = given.filter(([name]) => EVENT_OPTIONS.includes(name)).map(([name, value]) => `--${name}=${value}`);
    return [
      command('These events', ['events', ...options], 'GET', pathWith('/events', given)),
      command('Follow them', ['events', '--follow', ...options], 'GET', pathWith('/events', [['after', 'end']])),
    ];
  },
  ...SUBSCRIPTION_COMMANDS,
  '/exports': (query) => {
    const kind = query.get('new') ?? 'jobs';
    const filter = Object.fromEntries(
      [...query].filter(([name, value]) => !['new', 'order', 'cursor'].includes(name) && value !== ''),
    );
    const body = { kind, format: 'csv', filter };
    const options = Object.entries(filter).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value]);
    return [
      command('Exports', ['exports'], 'GET', '/exports'),
      command('New export', ['export', kind, '--format', 'csv', ...options], 'POST', '/exports', body),
      command('Download an export', ['exports', 'EXPORT'], 'GET', '/exports/EXPORT'),
      command('Delete an export', ['exports', 'EXPORT', '--delete'], 'DELETE', '/exports/EXPORT'),
    ];
  },
  '/audit': (query) => [
    api(
      'Audit log',
      'GET',
      pathWith(
        '/audit-logs',
        [...query].filter(([name]) => name === 'actor' || name === 'action'),
      ),
    ),
  ],
  '/reference/:operation?': () => [DESCRIPTION],
};

/** The list with the filters in the page's address. */
function listed(query: URLSearchParams): PageCommand {
  const filters = readFilters(query);
  const given = [
    ...activeFilters(filters),
    ...(filters.order === undefined ? [] : [['order', filters.order] as const]),
  ];
  const options = given.map(([name, value]) => {
    const option = LIST_OPTIONS.find(({ parameter }) => parameter === name);
    if (option === undefined) throw new Error(`promptq list has no option for ${name}`);
    return `${flagOf(option)}=${value}`;
  });
  return command('These jobs', ['list', ...options], 'GET', pathWith('/jobs', given));
}

function pathWith(path: string, query: readonly (readonly [string, string])[]): string {
  const text = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return text === '' ? path : `${path}?${text}`;
}
