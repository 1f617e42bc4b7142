import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { JobFields } from '../../client/promptq.ts';
import type { Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { JOB_OPTIONS } from './job-options.ts';

/** Values of JOB_OPTIONS by the names that commander gives them. */
export interface JobOptions {
  readonly file?: string;
}

/** The fields of a job that the options set. @throws CommandError if the prompt is given twice or can't be read */
export async function jobFields(context: Context, prompt: string | undefined, options: JobOptions): Promise<JobFields> {
  if (prompt !== undefined && options.file !== undefined) throw usageError('give the prompt or --file, not both');
  const given = prompt ?? (options.file === undefined ? undefined : await readPrompt(context, options.file));
  const values = options as Readonly<Record<string, unknown>>;
  const fields = JOB_OPTIONS.flatMap(({ field, flags }) =>
    field === undefined ? [] : [[field, values[new Option(flags).attributeName()]] as const],
  );
  return Object.fromEntries([['prompt', given] as const, ...fields].filter(([, value]) => value !== undefined));
}

async function readPrompt({ stdin }: Context, file: string): Promise<string> {
  if (file === '-') return await text(stdin);
  return await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`can't read the prompt: ${error.message}`);
  });
}
