import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { LOG_BYTES, rotateLog } from '../logs/rotate-log.ts';

type Written = (error?: Error | null) => void;

/** The logger's line about a failure. */
const failureLine = z.object({
  level: z.enum(['ERROR', 'CRITICAL']),
  message: z.string(),
  route: z.string().optional(),
  request_id: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/**
 * Redirects this process's output to a file, as Lambda sends it to CloudWatch: the functions run in this process, and
 * their lines don't belong in an operator's terminal. Failures are also reported. Earlier files are kept beside it as
 * `.1` to `.3`: those of earlier runs, and of this one when it writes more than a file may have.
 * @returns a function that restores the outputs
 */
export function divertOutput(path: string, report: (line: string) => void, maxBytes = LOG_BYTES): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rotateLog(path);
  let file = openSync(path, 'a', 0o600);
  let written = 0;
  const beginFile = () => {
    written = 0;
    rotateLog(path);
    const next = openSync(path, 'a', 0o600);
    closeSync(file);
    file = next;
  };
  const former = { stdout: process.stdout.write, stderr: process.stderr.write };
  let isFailing = false;
  // A full disk costs log lines. It must not fail the work that they describe.
  const append = (bytes: Uint8Array) => {
    try {
      if (written > 0 && written + bytes.length > maxBytes) beginFile();
      written += writeSync(file, bytes);
      isFailing = false;
    } catch (error) {
      if (!isFailing) report(`${path} can't be written: ${String(error)}`);
      isFailing = true;
    }
  };
  const write = (chunk: Uint8Array | string, encoding?: BufferEncoding | Written, done?: Written): boolean => {
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk;
    append(bytes);
    const failure = typeof chunk === 'string' ? describeFailure(chunk) : undefined;
    if (failure !== undefined) report(`${failure}; more in ${path}`);
    (typeof encoding === 'function' ? encoding : done)?.();
    return true;
  };
  process.stdout.write = write;
  process.stderr.write = write;
  return () => {
    process.stdout.write = former.stdout;
    process.stderr.write = former.stderr;
    closeSync(file);
  };
}

function describeFailure(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { data } = failureLine.safeParse(JSON.parse(text));
    if (data === undefined) return undefined;
    const what = [data.route, data.message].filter((part) => part !== undefined).join(' ');
    const request = data.request_id === undefined ? '' : ` (request ${data.request_id})`;
    return `${what}${request}: ${data.error?.message ?? 'no further message'}`;
  } catch {
    return undefined;
  }
}
