import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const DOCUMENT = join(ROOT, 'openapi.json');
/** Each becomes a type of a generated client. */
export const COMPONENTS = Object.keys(JSON.parse(await readFile(DOCUMENT, 'utf8')).components.schemas);

/** What the programs in docs/api/clients print. */
export const EXPECTED = {
  status: 'SUCCEEDED',
  prompt: 'echo hello',
  stdout: 'hello\n',
  listed: true,
  cancelled: 'CANCELLED',
  error: 'job_not_found',
};
