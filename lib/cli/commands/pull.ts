import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataOf } from '../../client/data-of.ts';
import type { Promptq } from '../../client/promptq.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { harmless } from '../base/terminal.ts';
import { type ApplyOptions, applyChanges, repositoryAt } from '../jobs/apply-changes.ts';
import { download } from '../jobs/download.ts';
import { TargetFolder } from '../jobs/target-folder.ts';

const DIFF_PATH = '.promptq/changes.diff';

interface PullOptions extends ApplyOptions {
  readonly json?: true;
}

export async function run(context: Context, [id = '']: readonly string[], options: PullOptions): Promise<number> {
  const repository = await repositoryAt(process.cwd(), context.env);
  const client = await stoppableClient(context);
  const { changes } = await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }));
  if (changes === null)
    throw new CommandError(EXIT.notFound, `job ${id} has no changes: its project has no repository`);
  const flaw = changes.truncated ? 'is cut' : changes.masked ? 'holds *** in place of secrets' : undefined;
  if (flaw !== undefined)
    throw new CommandError(
      EXIT.jobFailed,
      `the stored diff ${flaw}, so that it is not what the job wrote. A turn of the job can push its branch, or copy the files to $PROMPTQ_ATTACHMENTS: attachments are whole`,
    );
  if (changes.files > 0) await withDiff(client, id, async (file) => await applyChanges(repository, file, options));
  if (options.json) await context.terminal.printJson(changes);
  else await context.terminal.print(harmless(changes.stat.trimEnd()) || 'The job changed nothing.');
  return EXIT.succeeded;
}

async function withDiff(client: Promptq, id: string, work: (file: string) => Promise<void>): Promise<void> {
  const params = { path: { id } };
  const { items } = await dataOf(client.api.GET('/api/v1/jobs/{id}/attachments', { params }));
  const attachment = items.find(({ path }) => path === DIFF_PATH);
  if (attachment === undefined) throw new CommandError(EXIT.notFound, `job ${id} has no attachment ${DIFF_PATH}`);
  const scratch = await mkdtemp(join(tmpdir(), 'promptq-pull-'));
  const folder = await TargetFolder.open(scratch);
  try {
    await download(client, { id, attachment, folder });
    await work(join(scratch, DIFF_PATH));
  } finally {
    await folder.close();
    await rm(scratch, { recursive: true, force: true });
  }
}
