import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../lib/cli/base/exit-codes.ts';
import { lackOf } from '../lib/cli/jobs/check-scopes.ts';
import type { components } from '../lib/client/api-types.ts';

/** The step of action.yml that runs a job: inputs from the environment, the exit code of `promptq wait`. */
const { env } = process;
/** Characters of a final message in the summary. GitHub takes 1 MiB for a step. */
const MESSAGE_LENGTH = 200_000;

process.exitCode = main();

function main(): number {
  if (env.PROMPTQ_TOKEN) console.log(`::add-mask::${env.PROMPTQ_TOKEN}`);
  // Jobs write what follows. GitHub must not run it as commands of the workflow.
  const pause = randomUUID();
  console.log(`::stop-commands::${pause}`);
  try {
    return runJob();
  } finally {
    console.log(`::${pause}::`);
  }
}

function runJob(): number {
  if (!env.INPUT_PROMPT === !env.INPUT_PROMPT_FILE) {
    console.error('give prompt or prompt-file, and not both');
    return 2;
  }
  const options = [
    `--file=${env.INPUT_PROMPT_FILE || '-'}`,
    ...option('--profile', env.INPUT_PROFILE),
    ...option('--project', env.INPUT_PROJECT),
    ...option('--model', env.INPUT_MODEL),
    ...option('--attempt-timeout', env.INPUT_TIMEOUT),
    ...option('--idempotency-key', env.INPUT_IDEMPOTENCY_KEY),
  ];
  // `run --detach` needs only write. A job that no step can wait for would be paid for, and paid again later.
  const caller = promptq(['api', 'GET', '/session']);
  if (caller.code !== 0) return caller.code;
  const known = callerOf(caller.stdout);
  if (known === undefined) {
    console.error('the address answers, but is not that of a Promptq service; nothing was created');
    return EXIT.unreachable;
  }
  const lack = lackOf(known, ['write', 'read', 'logs']);
  if (lack !== undefined) {
    console.error(lack);
    return EXIT.notAllowed;
  }
  const created = promptq(['run', '--detach', '--json', ...options], env.INPUT_PROMPT);
  if (created.code !== 0) return created.code;
  const { id, url } = JSON.parse(created.stdout) as components['schemas']['JobCreated'];
  output('job-id', id);
  output('url', url ?? '');
  const { code, stdout } = promptq(['wait', '--json', ...option('--timeout', env.INPUT_WAIT_TIMEOUT), id]);
  const end = stdout === '' ? undefined : (JSON.parse(stdout) as components['schemas']['JobLifecycle']);
  // Without the whole output, which may be larger than a text can be. The job's end decides how the step ends.
  const read = promptq(['api', 'GET', `/jobs/${id}/result`]);
  const result = read.code === 0 ? (JSON.parse(read.stdout) as components['schemas']['JobResult']) : undefined;
  const status = end?.status ?? result?.status;
  if (status !== undefined) output('status', status);
  if (result !== undefined && env.GITHUB_STEP_SUMMARY)
    appendFileSync(env.GITHUB_STEP_SUMMARY, summaryOf({ ...result, usage: usageOf(id) ?? result.usage }, url));
  return code;
}

/** @returns undefined for what is no answer of the service, such as the page of a proxy */
function callerOf(text: string): components['schemas']['Caller'] | undefined {
  try {
    const answer = JSON.parse(text) as Partial<components['schemas']['Caller']> | null;
    return answer?.kind === undefined ? undefined : (answer as components['schemas']['Caller']);
  } catch {
    return undefined;
  }
}

/** Usage of all attempts. */
function usageOf(id: string): components['schemas']['Job']['usage'] {
  const { code, stdout } = promptq(['api', 'GET', `/jobs/${id}`]);
  if (code !== 0) return null;
  return (JSON.parse(stdout) as components['schemas']['Job']).total_usage;
}

function option(flag: string, value: string | undefined): string[] {
  return value ? [`${flag}=${value}`] : [];
}

/** Runs the installed command line. Its progress and errors go to the log of the step. */
function promptq(args: readonly string[], input = ''): { code: number; stdout: string } {
  const program = join(env.RUNNER_TEMP ?? '', 'promptq/node_modules/.bin/promptq');
  const { status, stdout, error } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (error) throw error;
  return { code: status ?? 70, stdout };
}

/** Sets an output, whose value can't contain the end of it. */
function output(name: string, value: string): void {
  const end = randomUUID();
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

function summaryOf(result: components['schemas']['JobResult'], url: string | null): string {
  const { id, status, state_reason: reason, exit_code: exitCode, usage, final_message: message } = result;
  const rows = [
    ['status', plain(`${status}: ${reason.message}`)],
    ['job', url === null ? id : `[${id}](${url})`],
    ['exit code', String(exitCode ?? 'none')],
    ['tokens', usage === null ? 'unknown' : `${usage.input_tokens} in, ${usage.output_tokens} out`],
  ];
  const table = ['| Promptq job | |', '| --- | --- |', ...rows.map((cells) => `| ${cells.join(' | ')} |`)];
  return `${[...table, '', ...(message === null ? [] : [fenced(message.slice(0, MESSAGE_LENGTH))])].join('\n')}\n`;
}

/** Text without Markdown or HTML, on one line. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>|#!&@]/g, '\\$&');
}

/** A code block whose fence is longer than any in the text, so that the text can't end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}\n`;
}
