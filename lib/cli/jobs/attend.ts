import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { dataOf } from '../../client/data-of.ts';
import { RequestError, UnreachableError } from '../../client/errors.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { NEEDS_PERSON } from '../../contract/statuses.ts';
import type { Context } from '../base/context.ts';
import { CommandError, explain } from '../base/errors.ts';
import { EXIT, EXIT_OF_SIGNAL, type StopSignal } from '../base/exit-codes.ts';

export interface WaitOptions {
  readonly timeout?: number;
  readonly waitForPeople?: true;
  readonly onInterrupt?: 'detach' | 'cancel';
  readonly json?: true;
}

interface Attended {
  readonly id: string;
  readonly options: WaitOptions;
  /** The signal that arrived before the job existed. */
  readonly stoppedBy?: StopSignal | undefined;
  /** Runs beside the wait until the job has ended, or its signal is aborted. */
  readonly alongside?: (signal: AbortSignal) => Promise<void>;
}

type State = Schemas['JobLifecycle'];

class InterruptedError extends CommandError {
  readonly by: StopSignal;

  constructor(by: StopSignal, what: string) {
    super(EXIT_OF_SIGNAL[by], `interrupted; ${what}`);
    this.by = by;
  }
}

/** The exit code of a job's outcome. */
export function exitCodeOf({ status }: Pick<State, 'status'>): number {
  if (status === 'SUCCEEDED') return EXIT.succeeded;
  return status === 'CANCELLED' ? EXIT.jobCancelled : EXIT.jobFailed;
}

/**
 * Waits until a job has ended and reports its states.
 * @throws CommandError if it waits for a person, the time is over, or a signal asks to end
 */
export async function attend(context: Context, client: Promptq, attended: Attended): Promise<State> {
  const { id, options, alongside } = attended;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stop = (error: unknown) => stopping.abort(error);
  const interrupt = (by: StopSignal) => stop(new InterruptedError(by, `job ${id} continues`));
  const forget = context.onStop(interrupt);
  const stopTimer = startTimer(options.timeout, () =>
    stop(stillWaiting(id, `The job has not ended after ${options.timeout} seconds.`)),
  );
  if (attended.stoppedBy !== undefined) interrupt(attended.stoppedBy);
  const states = waitForEnd(context, client, { id, options, signal });
  const work = Promise.all([states, alongside?.(signal)]);
  try {
    return (await work)[0];
  } catch (error) {
    stop(error);
    // The other part ends too, whatever its result.
    await Promise.allSettled([states]);
    // Another Ctrl-C ends the command at once.
    forget();
    const { reason } = signal;
    const isCancel = reason instanceof InterruptedError && options.onInterrupt === 'cancel';
    const end: unknown = isCancel ? await cancel(client, id, reason.by).catch((fault: unknown) => fault) : reason;
    if (isUncertain(end))
      await context.terminal.note(`job ${id} may still run; \`promptq wait ${id}\` waits for its end`);
    throw end;
  } finally {
    stopTimer();
    forget();
  }
}

async function waitForEnd(
  context: Context,
  client: Promptq,
  { id, options, signal }: { readonly id: string; readonly options: WaitOptions; readonly signal: AbortSignal },
): Promise<State> {
  // Not for a program, which reads stdout or writes stdin.
  const canAsk = context.stdin.isTTY === true && context.terminal.isInteractive && options.json !== true;
  const questions = canAsk ? new QuestionsHere(context, client, id) : undefined;
  try {
    for await (const state of client.states(id, { signal })) {
      if (state.terminal) return state;
      const { code, message } = state.state_reason;
      await context.terminal.note(`${state.status}: ${message}`);
      if (code !== 'question') questions?.close();
      else if (questions !== undefined && (await isAsked(questions, signal))) continue;
      if (!NEEDS_PERSON.has(code) || options.waitForPeople) continue;
      if (code === 'draft') throw draftError(id);
      throw code === 'question' ? await asked(client, id, signal) : stillWaiting(id, message);
    }
    throw new Error('the states of a job end with a terminal one');
  } finally {
    questions?.close();
  }
}

/** Ends a command that waits for what a draft does. */
export function draftError(id: string): CommandError {
  const next = `\`promptq submit ${id}\` queues it, and \`promptq wait ${id}\` then waits for its end`;
  return new CommandError(EXIT.waiting, `job ${id} is a draft; ${next}`);
}

/** Answers this question and no later one. */
export function answerCommand(id: string, question: string): string {
  return `promptq answer ${id} --question ${question} ANSWER`;
}

/** @returns false: the token may not read questions, for example */
async function isAsked(questions: QuestionsHere, signal: AbortSignal): Promise<boolean> {
  return await questions.ask(signal).then(
    () => true,
    () => false,
  );
}

async function asked(client: Promptq, id: string, signal: AbortSignal): Promise<CommandError> {
  // The job waits even if its questions can't be read.
  const open = await openQuestion(client, id, signal).catch(() => undefined);
  const shows = `\`promptq questions ${id}\` shows it`;
  const commands = open === undefined ? shows : `${shows}, \`${answerCommand(id, open.id)}\` answers it`;
  return new CommandError(
    EXIT.waiting,
    `the agent asks a question; ${commands}, and \`promptq wait ${id}\` waits for the end`,
  );
}

/** Whether an error says nothing about the job, which may exist and run. */
function isUncertain(error: unknown): boolean {
  if (error instanceof RequestError) return error.status === 401 || error.status === 403;
  return error instanceof UnreachableError;
}

async function cancel(client: Promptq, id: string, by: StopSignal): Promise<InterruptedError> {
  const job = await client.act('cancel', id).catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 400) return undefined;
    throw error;
  });
  if (job === undefined) return new InterruptedError(by, `job ${id} had ended`);
  const outcome = job.status === 'CANCELLED' ? 'is cancelled' : 'is being cancelled';
  return new InterruptedError(by, `job ${id} ${outcome}`);
}

function stillWaiting(id: string, why: string): CommandError {
  return new CommandError(EXIT.waiting, `${why} Job ${id} continues; \`promptq wait ${id}\` waits for its end`);
}

/** The longest delay of Node's timers; a longer one ends at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** @returns stops it */
function startTimer(seconds: number | undefined, onEnd: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (leftMs: number) => {
    const now = Math.min(leftMs, LONGEST_MS);
    timer = setTimeout(() => (leftMs > now ? wait(leftMs - now) : onEnd()), now);
  };
  if (seconds !== undefined) wait(seconds * 1000);
  return () => clearTimeout(timer);
}

/** Asks the person at the terminal what the agent of a job asks, while the command waits for the job. */
class QuestionsHere {
  readonly #context: Context;
  readonly #client: Promptq;
  readonly #id: string;
  #asked: { readonly id: string; readonly over: AbortController } | undefined;

  constructor(context: Context, client: Promptq, id: string) {
    this.#context = context;
    this.#client = client;
    this.#id = id;
  }

  /** Shows the open question, unless it is the one that is shown already. */
  async ask(signal: AbortSignal): Promise<void> {
    const open = await openQuestion(this.#client, this.#id, signal);
    if (open?.id === this.#asked?.id) return;
    this.close();
    if (open === undefined) return;
    const over = new AbortController();
    this.#asked = { id: open.id, over };
    void this.#answer(open, AbortSignal.any([signal, over.signal]));
  }

  /** Ends the question that is shown: it was answered elsewhere, or the job has ended. */
  close(): void {
    this.#asked?.over.abort();
    this.#asked = undefined;
  }

  async #answer(question: Schemas['Question'], signal: AbortSignal): Promise<void> {
    const { terminal } = this.#context;
    try {
      await terminal.note(['', 'The agent asks:', question.question, ...optionLines(question)].join('\n'));
      const answer = await readAnswer(this.#context, question, signal);
      if (answer === undefined) return;
      await this.#client.answer(this.#id, { question_id: question.id, answer });
    } catch (error) {
      if (!signal.aborted) await terminal.note(explain(error, this.#context.env).message);
    }
  }
}

/** The question of a job that waits for an answer. @throws RequestError, UnreachableError */
async function openQuestion(
  client: Promptq,
  id: string,
  signal: AbortSignal,
): Promise<Schemas['Question'] | undefined> {
  const { items } = await dataOf(client.api.GET('/api/v1/jobs/{id}/questions', { params: { path: { id } }, signal }));
  return items.find(({ state }) => state === 'open');
}

function optionLines({ options, default: byDefault }: Schemas['Question']): readonly string[] {
  return [
    ...options.map((option, at) => `  ${at + 1}  ${option}`),
    ...(byDefault === null ? [] : [`Without an answer it continues with: ${byDefault}`]),
    options.length > 0 ? 'Answer, or the number of one above:' : 'Answer:',
  ];
}

/** @returns the number of an option as that option; undefined: stdin ended, or the signal was aborted */
async function readAnswer(
  { stdin }: Context,
  { options }: Schemas['Question'],
  signal: AbortSignal,
): Promise<string | undefined> {
  // The terminal itself shows what is typed and edits the line.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: false, signal });
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (text !== '') return options[Number(text) - 1] ?? text;
    }
    return undefined;
  } finally {
    lines.close();
    stdin.pause();
  }
}
