import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isWellFormed, TOKEN_PATTERN } from '../../lib/access/tokens/api-tokens.ts';

/** Where the operator's own secrets are meant to lie in a home. */
export const OPERATORS_OWN = /^(token|local\.json|secrets\/|oidc-|\.config\/promptq\/local-run\.json)/;

/**
 * The files of a local run's home (tables, objects, queues, logs, workspaces) that hold an API token, which nothing but
 * the operator's own files may. By a search of its own for speed: a run may leave hundreds of megabytes.
 */
export async function filesWithTokens(home: string): Promise<string[]> {
  const arguments_ = ['-raoE', '--null', TOKEN_PATTERN.source, '.'];
  const { stdout } = await promisify(execFile)('grep', arguments_, { cwd: home, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: { code?: unknown; stdout?: string }) => {
      // It ends with 1 when it has found nothing, and with 2 when a file went away meanwhile.
      if (typeof error.code === 'number') return { stdout: error.stdout ?? '' };
      throw error;
    },
  );
  const found = stdout
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(([file = '', token = '']) => isWellFormed(token) && !OPERATORS_OWN.test(file.replace('./', '')));
  return [...new Set(found.map(([file = '']) => file))];
}
