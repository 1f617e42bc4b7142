import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { dataOf } from '../../client/data-of.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import type { Context } from '../base/context.ts';
import { explain } from '../base/errors.ts';

/** Asks the person at the terminal what the agent of a job asks, while the command waits for the job. */
export class QuestionsHere {
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
export async function openQuestion(
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
