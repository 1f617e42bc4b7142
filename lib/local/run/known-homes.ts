import { randomBytes } from 'node:crypto';
import { access, appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** In a home: the random name of each user's record of it, one a line. */
const NAMES_FILE = 'known-as';
const RECORD_NAME = /^[0-9a-f]{32}$/;

/** Whether this user has a record of a home. No repository can bring one, because it is outside of the home. */
export async function isKnownHome(path: string): Promise<boolean> {
  const records = recordsFolder();
  if (records === undefined) return false;
  const text = await readFile(join(path, NAMES_FILE), 'utf8').catch(() => '');
  for (const name of text.split('\n').filter((line) => RECORD_NAME.test(line)))
    if (await exists(join(records, name))) return true;
  return false;
}

/** Records a home for this user. Where that is impossible, the home stays unknown. */
export async function rememberHome(path: string): Promise<void> {
  const records = recordsFolder();
  if (records === undefined || (await isKnownHome(path))) return;
  const name = randomBytes(16).toString('hex');
  try {
    await mkdir(records, { recursive: true, mode: 0o700 });
    await writeFile(join(records, name), `${path}\n`, { mode: 0o600, flag: 'wx' });
    await appendFile(join(path, NAMES_FILE), `${name}\n`, { mode: 0o600 });
  } catch {
    // A start that names the home needs no record.
  }
}

/** A relative one could be in the very folder that brings the home. */
function recordsFolder(): string | undefined {
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  return isAbsolute(state) ? join(state, 'promptq', 'homes') : undefined;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
