/** Every page of the console with a fixed address. */
export const CONSOLE_PAGES = [
  'jobs',
  'jobs/new',
  'questions',
  'stats',
  'environment',
  'projects',
  'diagrams',
  'rules',
  'profiles',
  'bindings',
  'configuration',
  'account',
  'api-tokens',
  'sessions',
  'audit',
  'reference',
] as const;
