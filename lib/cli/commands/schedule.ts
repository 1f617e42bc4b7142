import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type JobOptions, jobFields } from '../jobs/job-fields.ts';

interface Options extends JobOptions {
  readonly cron?: string;
  readonly every?: string;
  readonly timezone?: string;
  readonly overlap?: 'skip' | 'queue' | 'replace';
  readonly missed?: 'skip' | 'latest' | 'all';
  readonly jitter?: number;
  readonly pauseAfter?: number;
  readonly until?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Creates an automation, or only shows when it would be due. */
export const run: CommandRun<Options> = async (context, [name = '', prompt], options) => {
  const { terminal } = context;
  const { cron, every, overlap, missed, jitter, pauseAfter, until, dryRun, json } = options;
  const { project, prompt: text, ...job } = await jobFields(context, prompt, options);
  if (text === undefined || text === null) throw usageError('give the prompt, or --file');
  if (cron === undefined && every === undefined) throw usageError('give --cron or --every');
  const { api } = await clientOf(context);
  const { timezone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  const schedule = { timezone, ...(cron !== undefined && { cron }), ...(every !== undefined && { every }) };
  const body = {
    name,
    trigger: { schedule },
    job: { ...job, prompt: text },
    ...(project !== undefined && { project }),
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
