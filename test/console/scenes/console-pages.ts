/** Every page of the console that has an address of its own. */
export const CONSOLE_PAGES = [
  'jobs',
  'jobs/new',
  'stats',
  'environment',
  'projects',
  'rules',
  'profiles',
  'bindings',
  'configuration',
  'account',
  'api-tokens',
  'sessions',
  'audit',
] as const;
