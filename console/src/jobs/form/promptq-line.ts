import { flagOf } from '../../../../lib/cli/base/option.ts';
import { IDEMPOTENCY_KEY, JOB_OPTIONS } from '../../../../lib/cli/jobs/job-options.ts';
import { shellWord } from './shell-word.ts';

/** Bytes of a prompt that can be an argument. Linux takes 128 KiB. */
const ARGUMENT_BYTES = 100_000;

/**
 * A command that creates a job with this body, waits for its end and prints its answer. It has no token: `promptq` uses
 * the one of `promptq login`, or PROMPTQ_TOKEN.
 * @param origin of the service, such as `https://jobs.example.com`
 */
export function promptqLine(origin: string, { prompt, ...fields }: Readonly<Record<string, unknown>>): string {
  const options = Object.entries(fields).flatMap(([field, value]) => {
    const option = [...JOB_OPTIONS, IDEMPOTENCY_KEY].find((each) => each.field === field);
    if (option === undefined) throw new Error(`promptq has no option for ${field}`);
    return [value].flat().map((each) => `${flagOf(option)}=${shellWord(String(each))}`);
  });
  const run = [`PROMPTQ_URL=${shellWord(origin)} promptq run`, ...options];
  const text = String(prompt);
  // printf is part of the shell, so its arguments have no limit, and it can write a NUL.
  if (text.includes('\0') || new TextEncoder().encode(text).length > ARGUMENT_BYTES) {
    const parts = text.split('\0');
    const format = parts.map(() => '%s').join('\\0');
    return `printf '${format}' ${parts.map(shellWord).join(' ')} | ${run.join(' ')} --file=-`;
  }
  return [...run, ...(text.startsWith('-') ? ['--'] : []), shellWord(text)].join(' ');
}
