import type { Promptq, Schemas } from '../../client/promptq.ts';
import type { Context } from '../base/context.ts';
import { copyOutput, styleOf } from './output.ts';

/** Prints what a job has answered: its final message or, without one, all of its output. */
export async function printAnswer(context: Context, client: Promptq, result: Schemas['JobResult']): Promise<void> {
  const { id, attempt, final_message: message } = result;
  if (message !== null) await context.terminal.copy('stdout', message.endsWith('\n') ? message : `${message}\n`);
  else if (attempt > 0) await copyOutput(context, client, { id, attempt, oneAttempt: true, style: styleOf(result) });
}

/** How a job ended, in one line. */
export function summary(result: Schemas['JobResult']): string {
  const { status, state_reason: reason, attempt, duration_ms: took, exit_code: exitCode, signal, error } = result;
  const facts = [
    `attempt ${attempt}`,
    ...(took === null ? [] : [`${(took / 1000).toFixed(1)} s`]),
    ...(exitCode === null ? [] : [`exit code ${exitCode}`]),
    ...(signal === null ? [] : [signal]),
  ];
  // The reason of most failures is their error.
  const more = error === null || reason.message.includes(error) ? '' : ` ${error}`;
  return `${status}: ${reason.message} (${facts.join(', ')})${more}`;
}
