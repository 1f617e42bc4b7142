/** What happens when an automation is due while its last job has not ended. */
export const OVERLAPS = ['skip', 'queue', 'replace'] as const;

/** Which of the instants at which no pass ran are made up for. */
export const MISSED = ['skip', 'latest', 'all'] as const;

/** How deliveries to a hook prove that they are from their sender. */
export const HOOK_STYLES = ['standard_webhooks', 'hmac', 'github', 'gitlab', 'slack', 'header_secret'] as const;
export type HookStyle = (typeof HOOK_STYLES)[number];

/** Events of jobs that can start another job. */
export const STARTING_EVENTS = [
  'job.succeeded',
  'job.failed',
  'job.cancelled',
  'question.opened',
  'deployment.succeeded',
  'deployment.failed',
] as const;
