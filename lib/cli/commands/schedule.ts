import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type AutomationJobOptions, automationJob } from '../templates/automation-job.ts';

interface Options extends AutomationJobOptions {
  readonly cron?: string;
  readonly every?: string;
  readonly timezone?: string;
  readonly overlap?: 'skip' | 'queue' | 'replace';
  readonly missed?: 'skip' | 'latest' | 'all';
  readonly jitter?: number;
  readonly pauseAfter?: number;
  readonly until?: string;
  readonly dryRun?: true;
}

/** Creates an automation, or only shows when it would be due. */
export const run: CommandRun<Options> = async (context, [name = '', ...texts], options) => {
  const { terminal } = context;
  const { cron, every, overlap, missed, jitter, pauseAfter, until, dryRun, json } = options;
  if (cron === undefined && every === undefined) throw usageError('give --cron or --every');
  const described = await automationJob(context, async () => await clientOf(context), texts, options);
  const { api } = await clientOf(context);
  const { timezone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  const schedule = { timezone, ...(cron !== undefined && { cron }), ...(every !== undefined && { every }) };
  const body = {
    name,
    trigger: { schedule },
    ...described,
    ...(overlap !== undefined && { overlap }),
    ...(missed !== undefined && { missed }),
    ...(jitter !== undefined && { jitter }),
    ...(pauseAfter !== undefined && { pause_after_failures: pauseAfter }),
    ...(until !== undefined && { enabled_until: until }),
  };
  const query = dryRun ? { dry_run: '1' as const } : {};
  const made = await dataOf(api.POST('/api/v1/automations', { params: { query }, body }));
  if (json) {
    await terminal.printJson(made);
    return EXIT.succeeded;
  }
  if (!dryRun) await terminal.note(`created ${made.id}; next at:`);
  await terminal.print(made.next_runs.map(({ local }) => local).join('\n'));
  for (const note of made.notes) await terminal.note(note);
  return EXIT.succeeded;
};
