import { createHash } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { answerOf } from '../../client/data-of.ts';
import { networkFault, TransientError } from '../../client/errors.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { repeat } from '../../client/repeat.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

interface Wanted {
  readonly id: string;
  readonly attachment: Pick<Schemas['Attachment'], 'name' | 'attempt' | 'sha256'>;
  readonly target: string;
}

/**
 * Downloads an attachment into a new file, which appears when it is complete and has the recorded SHA-256.
 * @throws CommandError if the file exists; RequestError, UnreachableError
 */
export async function download(client: Promptq, { id, attachment, target }: Wanted): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const part = `${target}.${process.pid}.part`;
  try {
    await repeat(async () => await fetchInto(client, { id, attachment, target: part }), client.policy);
    await link(part, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CommandError(EXIT.usage, `${target} exists already; it is kept`);
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}

async function fetchInto(client: Promptq, { id, attachment, target }: Wanted): Promise<void> {
  const { name, attempt, sha256 } = attachment;
  const { response } = await answerOf(
    client.api.GET('/api/v1/jobs/{id}/attachments/{name}', {
      params: { path: { id, name }, query: { attempt } },
      headers: { accept: 'application/octet-stream' },
      parseAs: 'stream',
    }),
  );
  const file = await open(target, 'w', 0o644);
  try {
    const hash = await copy(response, file);
    if (hash !== sha256) throw new TransientError('the received file is not the one that the job stored');
  } finally {
    await file.close();
  }
}

/** @returns the SHA-256 of what was copied */
async function copy(response: Response, file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read().catch(lost)) ?? { done: true, value: undefined };
    if (done) return hash.digest('hex');
    hash.update(value);
    await file.writeFile(value);
  }
}

function lost(error: unknown): never {
  throw new TransientError(`the download was cut off: ${networkFault(error)}`, { cause: error });
}
