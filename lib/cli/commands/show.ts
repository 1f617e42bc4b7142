import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { fields } from '../base/table.ts';

export const run: CommandRun<{ readonly json?: true }> = async (context, [id = ''], { json }) => {
  const client = await clientOf(context);
  const job = await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }));
  if (json) await context.terminal.printJson(job);
  else await context.terminal.print(described(job));
  return EXIT.succeeded;
};

function changesLine({ files, insertions, deletions, truncated, masked }: Schemas['RepositoryChanges']): string {
  const notes = [...(truncated ? ['the diff is cut'] : []), ...(masked ? ['secrets in the diff are masked'] : [])];
  return [`${files} files, +${insertions} -${deletions}`, ...notes].join('; ');
}

function until(what: string, time: string | null): string {
  return !time ? '' : ` (${what} ${time.slice(0, 10)})`;
}

function described(job: Schemas['Job']): string {
  const { changes, total_usage: usage, output_deleted_at: deletedAt } = job;
  // A later attempt has output again.
  const isDeleted = (job.output_deleted_attempt ?? 0) >= job.attempt;
  const lines = fields([
    ['id', job.id],
    ['status', `${job.status}: ${job.state_reason.message}`],
    ['next check', job.state_reason.next_check_at],
    ['title', job.title],
    ['template', job.template && `${job.template.name} version ${job.template.version}`],
    ['values', job.template && JSON.stringify(job.template.parameters)],
    ['automation', job.automation],
    ['project', job.project],
    ['profile', job.profile],
    ['model', job.model_used ?? job.model],
    ['folder', !job.folder ? job.cwd : `${job.folder}${until('deleted after', job.folder_kept_until)}`],
    [
      'files',
      job.finished_at && (isDeleted ? null : `promptq files ${job.id}${until('kept until', job.files_kept_until)}`),
    ],
    [
      'output',
      deletedAt && `${isDeleted ? '' : 'of earlier attempts '}deleted ${deletedAt} by ${job.output_deleted_by}`,
    ],
    ['tags', job.tags.join(', ')],
    ['attempt', job.attempt],
    ['created', `${job.created_at} by ${job.created_by}`],
    ['started', job.started_at],
    ['finished', job.finished_at],
    ['exit code', job.exit_code],
    ['signal', job.signal],
    ['error', job.error],
    ['tokens', usage && `${usage.input_tokens} in, ${usage.output_tokens} out`],
    ['changes', changes && changesLine(changes)],
    ['parent', job.parent_id],
    ['follow-ups', job.follow_up_ids.join(', ')],
    ['deployments', job.deployments.map(({ name, state }) => `${name} ${state}`).join(', ')],
    ['warnings', job.warnings.join('; ')],
  ]);
  return `${lines}\n\n${harmless(job.prompt)}`;
}
