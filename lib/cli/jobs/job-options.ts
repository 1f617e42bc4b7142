import type { OptionSpec } from '../base/option.ts';

/** The argument of commands about a job. */
export const JOB = ['<id>', 'id of the job'] as const;

export const JSON_OPTION: OptionSpec = { flags: '--json', about: 'print one line of JSON instead of text' };

/** Schemas of the lines that `-f` and `--follow` print with `--json`. */
export const LOG_EVENTS: readonly string[] = ['LogOutputEvent', 'LogEndEvent'];

/** Options that set fields of a job. Browsers import this table too. */
export const JOB_OPTIONS: readonly OptionSpec[] = [
  { flags: '-f, --file <file>', about: 'read the prompt from a file; - is stdin' },
  { flags: '--profile <name>', about: 'execution profile', field: 'profile' },
  { flags: '--model <name>', about: 'model, instead of that of the profile', field: 'model' },
  { flags: '--project <name>', about: 'project', field: 'project' },
  { flags: '--cwd <folder>', about: 'working folder on the worker', field: 'cwd' },
  { flags: '--title <title>', about: 'title that lists show', field: 'title' },
  { flags: '--tag <tag>', about: 'tag; repeatable', field: 'tags', isList: true },
  {
    flags: '--rule <id>',
    about: 'rule whose text comes before the prompt; repeatable',
    field: 'rule_ids',
    isList: true,
  },
  { flags: '--extra-prompt <text>', about: 'text after the prompt', field: 'extra_prompt' },
  { flags: '--priority <n>', about: 'jobs with a higher priority start earlier', field: 'priority', isNumber: true },
  { flags: '--retries <n>', about: 'further attempts after a failure', field: 'retries', isNumber: true },
  {
    flags: '--attempt-timeout <n>',
    about: 'limit of an attempt, in the unit of the deployment',
    field: 'timeout',
    isNumber: true,
  },
];

export const IDEMPOTENCY_KEY: OptionSpec = {
  flags: '--idempotency-key <key>',
  about: 'use the existing job with this key if there is one',
  field: 'idempotency_key',
};

/** Options of commands that wait for a job. */
export const WAITING: readonly OptionSpec[] = [
  { flags: '--timeout <seconds>', about: 'stop waiting after that time, with exit code 7', isNumber: true, least: 0 },
  {
    flags: '--wait-for-people',
    about:
      'keep waiting for a job that waits for a person: to be submitted, or for an answer, the vendor account, or a stopped thread',
  },
  {
    flags: '--on-interrupt <action>',
    about: 'what Ctrl-C, SIGTERM and SIGHUP do: detach (default) leaves the job alone, cancel cancels it',
    choices: ['detach', 'cancel'],
  },
];

/** Of commands that print output. */
export const RAW: OptionSpec = {
  flags: '--raw',
  about: 'print what the agent wrote, such as JSON lines, instead of text for people',
};

/** Options of commands that create a job and wait for it. */
export const RUNNING: readonly OptionSpec[] = [
  { flags: '--wait', about: 'print the final message, or else the output, when the job has ended (default)' },
  {
    flags: '--follow',
    about: 'print the output while it is written; with --json, as events',
    conflicts: ['detach', 'wait'],
  },
  RAW,
  { flags: '--detach', about: 'print the id of the job and exit', conflicts: ['wait'] },
  ...JOB_OPTIONS,
  { flags: '--draft', about: 'store a draft, which no worker starts, and exit', conflicts: ['wait', 'follow'] },
];
