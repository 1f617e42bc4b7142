import { STATUSES } from '../../contract/statuses.ts';
import type { OptionSpec } from '../base/option.ts';

const filter = (flags: string, parameter: OptionSpec['parameter'], about: string): OptionSpec => ({
  flags,
  about,
  parameter,
});

/** Options of `list`, one for each filter of the API. Browsers import this table too. */
export const LIST_OPTIONS: readonly OptionSpec[] = [
  { ...filter('--status <status>', 'status', 'only jobs with this status'), choices: STATUSES },
  { ...filter('--needs <need>', 'needs', 'only jobs that wait for an answer'), choices: ['answer'] },
  filter('--project <name>', 'project', 'only jobs of this project'),
  filter('--profile <name>', 'profile', 'only jobs with this profile'),
  filter('--agent <name>', 'agent', 'only jobs that this agent ran or will run'),
  filter('--model <name>', 'model', 'only jobs with this model'),
  filter('--cwd <folder>', 'cwd', 'only jobs with this working folder'),
  filter('--tag <tag>', 'tag', 'only jobs with this tag'),
  filter('--thread <id>', 'thread', 'only jobs of this thread'),
  filter('--template <name>', 'template', 'only jobs of this template'),
  filter('--automation <name>', 'automation', 'only jobs that this automation created'),
  filter('--tree <id>', 'tree', 'only this job and its descendants'),
  filter('--created-by <name>', 'created_by', 'only jobs that this person or token created'),
  filter('--created-after <time>', 'created_after', 'only jobs created at this time or later: 2026-11-20T10:41:00Z'),
  filter('--created-before <time>', 'created_before', 'only jobs created before this time'),
  filter('--search <words>', 'search', 'only jobs that contain these words'),
  {
    ...filter('--order <order>', 'order', 'which jobs are listed first; default: newest'),
    choices: ['newest', 'oldest'],
  },
  { ...filter('--limit <n>', 'limit', 'number of jobs; default: 20'), isNumber: true },
  filter('--cursor <cursor>', 'cursor', 'the next page, as the previous one names it'),
];

/** What an export can be narrowed by: the filters of the list, and those of the audit log. */
export const EXPORT_FILTERS: readonly (OptionSpec & { readonly name: string })[] = [
  ...LIST_OPTIONS.flatMap(({ parameter: name = '', ...option }) =>
    ['order', 'limit', 'cursor'].includes(name) ? [] : [{ ...option, name }],
  ),
  { name: 'actor', flags: '--actor <name>', about: 'of audit: only what this caller did' },
  { name: 'action', flags: '--action <id>', about: 'of audit: only this action, such as jobs.kill' },
];
