const ADMIN = 'administration: `promptq api`, or the console';
const LINKING = 'a person confirms it in a browser: the console, or `promptq api`';
const BROWSER = "needs an administrator's session in a browser: the console";
const OPERATOR = `${BROWSER}, or \`npm run token\``;

/** Routes without a separate command, with the reason. `promptq api` calls those that accept a token. */
export const ROUTES_WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'stats.read': '`promptq api GET /stats`',
  'jobs.session': 'for programs: `promptq api GET /jobs/ID/session`',
  'jobs.replace': '`edit` changes single fields',
  'jobs.delete': 'the same as `cancel`',
  'jobs.reread-logs': ADMIN,
  'jobs.refuse-action': 'rejects unknown actions',
  'deploy-bindings.write': ADMIN,
  'deploy-bindings.list': ADMIN,
  'deploy-bindings.delete': ADMIN,
  'deployments.retry': ADMIN,
  'codex-account.start': LINKING,
  'codex-account.cancel': LINKING,
  'codex-account.logout': LINKING,
  'rules.list': ADMIN,
  'rules.delete': ADMIN,
  'profiles.delete': ADMIN,
  'config.import': ADMIN,
  'config.export': ADMIN,
  'projects.delete': ADMIN,
  'mcp.call': 'for agents; `promptq mcp` serves the same tools',
  'openapi.read': 'for generators of clients',
  'audit-logs.list': ADMIN,
  'sessions.list': BROWSER,
  'sessions.end': BROWSER,
  'tokens.list': OPERATOR,
  'tokens.create': OPERATOR,
  'tokens.suspend': OPERATOR,
  'tokens.resume': OPERATOR,
  'tokens.revoke': OPERATOR,
};
