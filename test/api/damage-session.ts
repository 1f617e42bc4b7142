import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Damages what a local run has stored of a session of codex, so that codex refuses to continue it.
 * @throws Error if nothing is stored
 */
export async function damageSession(home: string, sessionId: string): Promise<void> {
  // The rest of the home changes while it is listed: the agents' folders are removed, for instance.
  const stored = join(home, 's3');
  const files = (await readdir(stored, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  let damaged = 0;
  for (const { parentPath, name } of files) {
    const text = await readFile(join(parentPath, name), 'utf8');
    if (!text.startsWith('{"timestamp":') || !text.includes('"session_meta"') || !text.includes(sessionId)) continue;
    await writeFile(join(parentPath, name), 'x'.repeat(Buffer.byteLength(text)));
    damaged += 1;
  }
  if (damaged === 0) throw new Error(`no part of session ${sessionId} is stored`);
}
