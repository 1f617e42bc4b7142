const CONSOLE = 'administration: the console and the API';
const OPERATOR = 'administration of tokens: `npm run token`, the console and the API';
const PERSON = 'needs a browser: the console';

/** Routes that no command calls, with the reason. */
export const ROUTES_WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'stats.read': 'statistics are for the console',
  'jobs.session': 'no command continues a session yet',
  'jobs.replace': '`edit` changes single fields',
  'jobs.delete': 'the same as `cancel`',
  'jobs.reread-logs': CONSOLE,
  'jobs.refuse-action': 'rejects unknown actions',
  'deploy-bindings.write': CONSOLE,
  'deploy-bindings.list': CONSOLE,
  'deploy-bindings.delete': CONSOLE,
  'deployments.retry': CONSOLE,
  'codex-account.start': PERSON,
  'codex-account.cancel': PERSON,
  'codex-account.logout': PERSON,
  'rules.list': CONSOLE,
  'rules.delete': CONSOLE,
  'profiles.delete': CONSOLE,
  'config.import': CONSOLE,
  'config.export': CONSOLE,
  'projects.edit': CONSOLE,
  'projects.delete': CONSOLE,
  'mcp.call': 'for agents; `promptq mcp` serves the same tools',
  'openapi.read': 'for generators of clients',
  'audit-logs.list': CONSOLE,
  'sessions.list': CONSOLE,
  'sessions.end': CONSOLE,
  'tokens.list': OPERATOR,
  'tokens.create': OPERATOR,
  'tokens.suspend': OPERATOR,
  'tokens.resume': OPERATOR,
  'tokens.revoke': OPERATOR,
};
