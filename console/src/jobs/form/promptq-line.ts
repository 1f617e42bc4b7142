import { flagOf } from '../../../../lib/cli/base/option.ts';
import { IDEMPOTENCY_KEY, JOB_OPTIONS } from '../../../../lib/cli/jobs/job-options.ts';
import { type ParameterValues, textOfValue } from '../../../../lib/contract/templates/parameter-values.ts';
import { shellWord } from './shell-word.ts';

/** Bytes of a prompt that can be an argument. Linux takes 128 KiB. */
const ARGUMENT_BYTES = 100_000;

/**
 * A command that creates a job with this body, waits for its end and prints its answer. It has no token: `promptq` uses
 * the one of `promptq login`, or PROMPTQ_TOKEN.
 * @param origin of the service, such as `https://jobs.example.com`
 * @param body of `POST /jobs`, with a prompt or a template
 */
export function promptqLine(
  origin: string,
  { template, prompt, ...fields }: Readonly<Record<string, unknown>>,
): string {
  const run = `PROMPTQ_URL=${shellWord(origin)} promptq run`;
  if (template !== undefined) return [run, ...ofTemplate(String(template), fields)].join(' ');
  const line = [run, ...optionsOf(fields)];
  const text = String(prompt);
  // printf is part of the shell, so its arguments have no limit, and it can write a NUL.
  if (text.includes('\0') || new TextEncoder().encode(text).length > ARGUMENT_BYTES) {
    const parts = text.split('\0');
    const format = parts.map(() => '%s').join('\\0');
    return `printf '${format}' ${parts.map(shellWord).join(' ')} | ${line.join(' ')} --file=-`;
  }
  return [...line, ...(text.startsWith('-') ? ['--'] : []), shellWord(text)].join(' ');
}

function ofTemplate(name: string, body: Readonly<Record<string, unknown>>): string[] {
  const { template_version: version, parameters, ...fields } = body;
  const values = Object.entries((parameters ?? {}) as ParameterValues);
  return [
    `--template=${shellWord(name)}`,
    ...(version === undefined ? [] : [`--template-version=${shellWord(String(version))}`]),
    ...optionsOf(fields),
    ...values.map(([parameter, value]) => shellWord(`${parameter}=${textOfValue(value)}`)),
  ];
}

function optionsOf(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const option = [...JOB_OPTIONS, IDEMPOTENCY_KEY].find((each) => each.field === field);
    if (option === undefined) throw new Error(`promptq has no option for ${field}`);
    return [value].flat().map((each) => `${flagOf(option)}=${shellWord(String(each))}`);
  });
}
