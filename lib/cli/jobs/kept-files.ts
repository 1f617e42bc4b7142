import type { Schemas } from '../../client/promptq.ts';
import type { Terminal } from '../base/terminal.ts';
import type { StoredFile } from './download.ts';

/** A file of a job's folder of which the service has a copy. */
interface KeptFile extends StoredFile {
  readonly bytes: number;
  readonly masked: boolean;
}

export function keptFiles({ attempt, items }: Schemas['JobFileList']): readonly KeptFile[] {
  return items.flatMap(({ path, bytes, masked, sha256 }) =>
    sha256 === null ? [] : [{ path, bytes, masked, sha256, attempt }],
  );
}

/** Tells which files are not what the job wrote. */
export async function noteMasked(terminal: Terminal, files: readonly KeptFile[]): Promise<void> {
  for (const { path } of files.filter(({ masked }) => masked))
    await terminal.note(`${path}: *** stands in it in place of secrets`);
}
