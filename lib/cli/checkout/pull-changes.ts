import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataOf } from '../../client/data-of.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type ApplyOptions, applyChanges, type Repository } from '../jobs/apply-changes.ts';
import { download } from '../jobs/download.ts';
import { TargetFolder } from '../jobs/target-folder.ts';

const DIFF_PATH = '.promptq/changes.diff';

/**
 * Applies the changes of a job to a repository.
 * @throws CommandError if there are none to apply, or they do not apply
 */
export async function pullChanges(
  client: Promptq,
  { id, changes }: Pick<Schemas['Job'], 'id' | 'changes'>,
  repository: Repository,
  options: ApplyOptions,
): Promise<Schemas['RepositoryChanges']> {
  if (changes === null)
    throw new CommandError(EXIT.notFound, `job ${id} has no changes: its project has no repository`);
  const flaw = changes.truncated ? 'is cut' : changes.masked ? 'holds *** in place of secrets' : undefined;
  if (flaw !== undefined)
    throw new CommandError(
      EXIT.jobFailed,
      `the stored diff ${flaw}, so that it is not what the job wrote. A turn of the job can push its branch, or copy the files to $PROMPTQ_ATTACHMENTS: attachments are whole`,
    );
  if (changes.files > 0) await withDiff(client, id, async (file) => await applyChanges(repository, file, options));
  return changes;
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
