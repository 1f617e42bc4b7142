import type { components } from '../../../../lib/client/api-types.ts';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { shellWord } from '../form/shell-word.ts';

/** A command of `promptq` that does what the job's page does. */
export interface JobCommand {
  readonly label: string;
  /** After `promptq`. */
  readonly args: readonly string[];
}

/** The commands that a job's status allows. A text in them is an example. */
export function* jobCommands(job: components['schemas']['Job']): Iterable<JobCommand> {
  const { id, status, agent, attempt, changes, question, deployments } = job;
  const isOver = isTerminal(status);
  const isLive = status === 'QUEUED' || status === 'RUNNING';
  yield { label: 'Show', args: ['show', id] };
  if (isLive || attempt > 0)
    yield { label: isLive ? 'Follow the log' : 'Log', args: isLive ? ['logs', '-f', id] : ['logs', id] };
  if (isLive) yield { label: 'Wait for the end', args: ['wait', id] };
  if (attempt > 0) yield { label: 'Result', args: ['result', id] };
  if (question?.state === 'open') yield { label: 'Answer', args: ['answer', id, 'The answer'] };
  if (isLive && agent !== 'shell') yield { label: 'Send a message', args: ['say', id, 'One more thing'] };
  if (status === 'DRAFT') yield { label: 'Queue', args: ['submit', id] };
  if (status === 'DRAFT' || status === 'QUEUED') yield { label: 'Edit', args: ['edit', id, '--priority', '1'] };
  if (isLive) yield { label: 'Cancel', args: ['cancel', id] };
  if (status === 'RUNNING') yield { label: 'Kill', args: ['kill', id] };
  if (isOver) yield { label: 'Retry', args: ['retry', id] };
  if (isOver) yield { label: 'Continue', args: ['continue', id, 'What to do next'] };
  if (isOver) yield { label: 'Fork', args: ['fork', id, 'What to try instead'] };
  if (attempt > 0) yield { label: 'Download files', args: ['attachments', id, '--output', 'files'] };
  if (changes !== null) yield { label: 'Apply changes', args: ['pull', id] };
  if (job.turn !== null) yield { label: 'Turns of the thread', args: ['list', '--thread', job.thread_id] };
  for (const { name, binding } of deployments)
    yield { label: `Retry deployment ${name}`, args: ['api', 'POST', `/jobs/${id}/deployments/${binding}/retry`] };
  if (isOver && attempt > 0) yield { label: 'Rebuild the record', args: ['api', 'POST', `/jobs/${id}/reread-logs`] };
}

/** The command as a line of a shell. */
export function commandLine(args: readonly string[]): string {
  return ['promptq', ...args.map(shellWord)].join(' ');
}
