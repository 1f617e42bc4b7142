import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { JobFields } from '../../client/promptq.ts';
import type { Context, OptionSpec } from '../base/context.ts';
import { usageError } from '../base/errors.ts';

/** Options that set fields of a job. */
export const JOB_OPTIONS: readonly OptionSpec[] = [
  { flags: '-f, --file <file>', about: 'read the prompt from a file; - is stdin' },
  { flags: '--profile <name>', about: 'execution profile' },
  { flags: '--model <name>', about: 'model, instead of that of the profile' },
  { flags: '--project <name>', about: 'project' },
  { flags: '--cwd <folder>', about: 'working folder on the worker' },
  { flags: '--title <title>', about: 'title that lists show' },
  { flags: '--tag <tag>', about: 'tag; repeatable', isList: true },
  { flags: '--rule <id>', about: 'rule whose text comes before the prompt; repeatable', isList: true },
  { flags: '--extra-prompt <text>', about: 'text after the prompt' },
  { flags: '--priority <n>', about: 'jobs with a higher priority start earlier', isNumber: true },
  { flags: '--retries <n>', about: 'further attempts after a failure', isNumber: true },
  { flags: '--attempt-timeout <n>', about: 'limit of an attempt, in the unit of the deployment', isNumber: true },
];

export interface JobOptions {
  readonly file?: string;
  readonly profile?: string;
  readonly model?: string;
  readonly project?: string;
  readonly cwd?: string;
  readonly title?: string;
  readonly tag?: readonly string[];
  readonly rule?: readonly string[];
  readonly extraPrompt?: string;
  readonly priority?: number;
  readonly retries?: number;
  readonly attemptTimeout?: number;
}

/** The fields of a job that the options set. @throws CommandError if the prompt is given twice or can't be read */
export async function jobFields(context: Context, prompt: string | undefined, options: JobOptions): Promise<JobFields> {
  if (prompt !== undefined && options.file !== undefined) throw usageError('give the prompt or --file, not both');
  const given = prompt ?? (options.file === undefined ? undefined : await readPrompt(context, options.file));
  const fields = {
    prompt: given,
    profile: options.profile,
    model: options.model,
    project: options.project,
    cwd: options.cwd,
    title: options.title,
    tags: options.tag && [...options.tag],
    rule_ids: options.rule && [...options.rule],
    extra_prompt: options.extraPrompt,
    priority: options.priority,
    retries: options.retries,
    timeout: options.attemptTimeout,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function readPrompt({ stdin }: Context, file: string): Promise<string> {
  if (file === '-') return await text(stdin);
  return await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`can't read the prompt: ${error.message}`);
  });
}
