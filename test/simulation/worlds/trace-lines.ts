import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';

/** A command of a trace, with the item, message or key that it is about. */
export function commandLine(
  { id, doing }: Actor,
  { command, input, result }: { command: string; input: Record<string, unknown>; result: string },
  named: (text: string) => string,
): string {
  const about = input.Key ?? input.Item ?? input.MessageBody ?? input.ReceiptHandle ?? input.ExpressionAttributeValues;
  const shown = typeof about === 'string' ? about : JSON.stringify(about ?? '');
  return `${id} ${doing}: ${command.replace('Command', '')} ${named(shown).slice(0, 90)} ${result}`;
}

/** The fields that a write changed. */
export function changes(before: Job | undefined, after: Job | undefined): string {
  if (before === undefined || after === undefined) return '';
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Job)[];
  const shown = names.filter(
    (name) => before[name] !== after[name] && !['change_id', 'claim_id', 'updated_at'].includes(name),
  );
  return shown.map((name) => `${name}=${String(after[name])}`).join(' ');
}
