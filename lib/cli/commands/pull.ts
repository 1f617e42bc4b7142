import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataOf } from '../../client/data-of.ts';
import type { Promptq } from '../../client/promptq.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { harmless } from '../base/terminal.ts';
import { download } from '../jobs/download.ts';

const execute = promisify(execFile);
const DIFF_PATH = '.promptq/changes.diff';

interface PullOptions {
  readonly check?: true;
  readonly '3way'?: true;
  readonly json?: true;
}

export async function run(context: Context, [id = '']: readonly string[], options: PullOptions): Promise<number> {
  const root = await repositoryRoot();
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
  if (changes.files > 0) await withDiff(client, id, async (file) => await apply(root, file, options));
  if (options.json) await context.terminal.printJson(changes);
  else await context.terminal.print(harmless(changes.stat.trimEnd()) || 'The job changed nothing.');
  return EXIT.succeeded;
}

/** In a subfolder, `git apply` would skip files outside it without a word. */
async function repositoryRoot(): Promise<string> {
  const { stdout } = await execute('git', ['rev-parse', '--show-toplevel']).catch(() => {
    throw usageError('this folder is not in a git repository');
  });
  return stdout.trimEnd();
}

async function withDiff(client: Promptq, id: string, work: (file: string) => Promise<void>): Promise<void> {
  const params = { path: { id } };
  const { items } = await dataOf(client.api.GET('/api/v1/jobs/{id}/attachments', { params }));
  const attachment = items.find(({ path }) => path === DIFF_PATH);
  if (attachment === undefined) throw new CommandError(EXIT.notFound, `job ${id} has no attachment ${DIFF_PATH}`);
  const folder = await mkdtemp(join(tmpdir(), 'promptq-pull-'));
  try {
    const target = join(folder, 'changes.diff');
    await download(client, { id, attachment, target });
    await work(target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Git refuses paths outside the working tree, below `.git` and behind links. */
async function apply(root: string, file: string, options: PullOptions): Promise<void> {
  const args = [...(options.check ? ['--check'] : []), ...(options['3way'] ? ['--3way'] : [])];
  await execute('git', ['apply', '--whitespace=nowarn', ...args, '--', file], { cwd: root }).catch((error) => {
    throw new CommandError(EXIT.jobFailed, `the changes do not apply here: ${String(error.stderr).trim()}`);
  });
}
