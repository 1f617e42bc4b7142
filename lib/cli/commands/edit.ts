import { dataOf } from '../../client/data-of.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type JobOptions, jobFields } from '../jobs/job-fields.ts';

export async function run(
  context: Context,
  [id = '', prompt]: readonly string[],
  options: JobOptions & { readonly json?: true },
): Promise<number> {
  const body = await jobFields(context, prompt, options);
  if (Object.keys(body).length === 0) throw usageError('nothing to change: give a prompt or an option');
  const client = await clientOf(context);
  const params = { path: { id } };
  const { status } = await dataOf(client.api.GET('/api/v1/jobs/{id}/status', { params }));
  const { project: _, ...fields } = body;
  if (status !== 'DRAFT' && body.project !== undefined) throw usageError('--project: only that of a draft can change');
  const job = await dataOf(
    status === 'DRAFT'
      ? client.api.PATCH('/api/v1/jobs/{id}/draft', { params, body })
      : client.api.PATCH('/api/v1/jobs/{id}', { params, body: fields }),
  );
  if (options.json) await context.terminal.printJson(job);
  else await context.terminal.print(`${job.status}: ${harmless(job.state_reason.message)}`);
  return EXIT.succeeded;
}
