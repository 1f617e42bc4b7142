/**
 * The functions that a schedule keeps running: those of the routes that clients, the console's first page and agents'
 * tools call first. A start takes some tenths of a second, which a team that calls the API now and then would meet
 * nearly every time. Provisioned concurrency would cost $9 a month for each function.
 */
export const WARM_FUNCTIONS = [
  'jobs.create',
  'jobs.status',
  'jobs.list',
  'jobs.read',
  'jobs.logs',
  'jobs.result',
  'session.read',
  'environment.read',
  'mcp.call',
] as const;

/** The event of that schedule. API Gateway's events have no such member, and no caller can add one. */
export const KEEP_WARM = { keepWarm: true } as const;

/** Whether a function is called to be kept running, and not by a request. */
export function isKeepWarm(event: object): boolean {
  return 'keepWarm' in event;
}
