import type { components } from '../../../../lib/client/api-types.ts';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import type { ApiRequest } from '../form/curl-line.ts';
import { shellWord } from '../form/shell-word.ts';

/** A command of `promptq` that does what the job's page does. */
export interface JobCommand {
  readonly label: string;
  /** After `promptq`. */
  readonly args: readonly string[];
  /** The same as one request; undefined if it takes several. */
  readonly request?: ApiRequest;
}

/** The commands that a job's status allows. Names in capitals stand for texts. */
export function* jobCommands(job: components['schemas']['Job']): Iterable<JobCommand> {
  const { id, status, agent, attempt, changes, question, deployments } = job;
  const isOver = isTerminal(status);
  const isLive = status === 'QUEUED' || status === 'RUNNING';
  const path = `/jobs/${id}`;
  const read = (label: string, args: readonly string[], more = ''): JobCommand => {
    return { label, args, request: { method: 'GET', path: `${path}${more}` } };
  };
  const post = (label: string, args: readonly string[], more: string, body: object = {}): JobCommand => {
    return { label, args, request: { method: 'POST', path: `${path}${more}`, body } };
  };
  const create = (label: string, args: readonly string[], body: object): JobCommand => {
    return { label, args, request: { method: 'POST', path: '/jobs', body } };
  };
  yield read('Show', ['show', id]);
  if (isLive) yield { label: 'Follow the log', args: ['logs', '-f', id] };
  else if (attempt > 0) yield read('Log', ['logs', id], '/logs');
  if (isLive) yield read('Wait for the end', ['wait', id], '/status?wait=25');
  if (attempt > 0) yield read('Result', ['result', id], '/result');
  if (question?.state === 'open') {
    const answer = 'ANSWER';
    yield post('Answer', ['answer', id, answer], '/answers', { question_id: question.id, answer });
  }
  if (isLive && agent !== 'shell') {
    const text = 'MESSAGE';
    yield post('Send a message', ['say', id, text], '/messages', { text });
  }
  if (status === 'DRAFT') yield post('Queue', ['submit', id], '/submit');
  if (job.state_reason.code === 'thread_stopped') yield post('Start anyway', ['submit', id], '/submit');
  if (status === 'DRAFT' || status === 'QUEUED') {
    const edited = status === 'DRAFT' ? `${path}/draft` : path;
    const request = { method: 'PATCH', path: edited, body: { priority: 1 } };
    yield { label: 'Edit', args: ['edit', id, '--priority', '1'], request };
  }
  if (!isOver) yield post('Cancel', ['cancel', id], '/cancel');
  if (status === 'RUNNING') yield post('Kill', ['kill', id], '/kill');
  if (isOver) {
    yield post('Retry', ['retry', id], '/retry');
    yield create('Continue', ['continue', id, 'PROMPT'], { continue: id, prompt: 'PROMPT' });
    if (attempt > 0 && job.cwd === null) yield create('Fork', ['fork', id, 'PROMPT'], { fork: id, prompt: 'PROMPT' });
  }
  if (attempt > 0) {
    yield read('List the files of its folder', ['files', id], '/files');
    yield { label: 'Download attachments', args: ['attachments', id, '--output', 'files'] };
  }
  if (changes !== null && !changes.truncated && !changes.masked) yield { label: 'Apply changes', args: ['pull', id] };
  if (job.turn !== null) {
    const request = { method: 'GET', path: `/jobs?thread=${job.thread_id}` };
    yield { label: 'Turns of the thread', args: ['list', '--thread', job.thread_id], request };
  }
  for (const { name, binding } of deployments) {
    const retry = `/deployments/${binding}/retry`;
    yield post(`Retry deployment ${name}`, ['api', 'POST', `${path}${retry}`], retry);
  }
  if (isOver && attempt > 0) yield post('Rebuild the record', ['api', 'POST', `${path}/reread-logs`], '/reread-logs');
  if (attempt > 0) yield read('Download the record', ['record', id], '/record');
  // Pasted as they are, these ask for --yes.
  if (isOver && attempt > 0) yield { label: 'Delete the output', args: ['delete-output', id] };
  if (isOver) yield { label: 'Remove', args: ['remove', id] };
}

/** The command as a line of a shell. */
export function commandLine(args: readonly string[]): string {
  return ['promptq', ...args.map(shellWord)].join(' ');
}
