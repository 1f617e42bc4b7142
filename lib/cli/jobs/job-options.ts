import type { OptionSpec } from '../base/option.ts';

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
