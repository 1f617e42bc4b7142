import { damageOf } from '../../client/damage-of.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import type { Context } from '../base/context.ts';
import { copyOutput, styleOf } from './output.ts';

/** Prints what a job has answered: its final message or, without one, all of its output. */
export async function printAnswer(context: Context, client: Promptq, result: Schemas['JobResult']): Promise<void> {
  const { id, attempt, final_message: message, receipt_state } = result;
  if (message !== null) return await context.terminal.copy('stdout', message.endsWith('\n') ? message : `${message}\n`);
  // Without its record, the message of an agent is not known, and its output is printed instead.
  for (const line of damageOf({ ...(receipt_state && { receipt_state }) })) await context.terminal.note(line);
  if (attempt > 0) await copyOutput(context, client, { id, attempt, oneAttempt: true, style: styleOf(result) });
}

/** How a job ended, in one line. */
export function summary(result: Schemas['JobResult']): string {
  const { status, state_reason: reason, attempt, duration_ms: took, exit_code: exitCode, signal, error } = result;
  const facts = [
    `attempt ${attempt}`,
    ...(took === null ? [] : [`${(took / 1000).toFixed(1)} s`]),
    ...(exitCode === null || isSaid(reason.message, exitCode) ? [] : [`exit code ${exitCode}`]),
    ...(signal === null ? [] : [signal]),
  ];
  // The reason of most failures is their error.
  const more = error === null || reason.message.includes(error) ? '' : ` ${error}`;
  // That the process of a success ended is nothing new.
  const why = status === 'SUCCEEDED' ? '' : `: ${reason.message}`;
  return `${status}${why} (${facts.join(', ')})${more}`;
}

function isSaid(message: string, exitCode: number): boolean {
  return new RegExp(`\\bexit code ${exitCode}\\b`, 'i').test(message);
}
