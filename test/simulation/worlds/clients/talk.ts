import type { ModelApi } from '../api.ts';
import type { ModelDeployment } from '../deployment.ts';
import { SECRET } from '../questions.ts';
import type { Acknowledged } from './acknowledged.ts';

/** The messages that clients send to agents, and their answers to questions. */
export class Talk {
  readonly #deployment: ModelDeployment;
  readonly #api: ModelApi;
  readonly #acknowledged: Acknowledged;
  readonly #onFault: (fault: string) => void;
  #answers = 0;

  constructor(
    deployment: ModelDeployment,
    api: ModelApi,
    { acknowledged, onFault }: { acknowledged: Acknowledged; onFault: (fault: string) => void },
  ) {
    this.#deployment = deployment;
    this.#api = api;
    this.#acknowledged = acknowledged;
    this.#onFault = onFault;
  }

  /** Sends a message, sometimes twice, and again until it is answered. */
  async say(known: string): Promise<void> {
    const { random, time } = this.#deployment;
    const id = this.#newestRunning() ?? known;
    const key = `message ${random.integer(1, 3)}`;
    const name = `${id} ${key}`;
    const { messages } = this.#acknowledged;
    for (let tries = 0; tries < 4; tries += 1) {
      const [answer] = await Promise.all([this.#api.say(id, key), random.chance(0.2) && this.#api.say(id, key)]);
      if (answer.kind === 'answered') {
        if ((messages.get(name) ?? answer.value.id) !== answer.value.id) this.#onFault('one key gave two messages');
        messages.set(name, answer.value.id);
      }
      if (answer.kind !== 'unknown') return;
      await time.sleep(random.skewed(100, 10_000));
    }
  }

  /** Answers a question as the list shows it, sometimes twice, and again until the response is known. */
  async answer(): Promise<void> {
    const { random, time } = this.#deployment;
    const asking = this.#deployment.allJobs().filter(({ question }) => question?.state === 'open');
    const { id, question } = asking[random.integer(0, asking.length - 1)] ?? {};
    if (id === undefined || question === undefined) return;
    const answer = async () => {
      this.#answers += 1;
      const secret = this.#answers % 3 === 0 ? ` with ${SECRET}` : '';
      const text = `answer ${this.#answers} to ${question.id}${secret}.`;
      const response = await this.#api.answer(id, question.id, text);
      if (response.kind === 'answered') this.#answered(id, question.id, text);
      if (response.kind === 'refused' && response.error.code !== 'invalid_state')
        this.#onFault(`an answer was refused: ${response.error.message}`);
      return response.kind;
    };
    for (let tries = 0; tries < 4; tries += 1) {
      const [first] = await Promise.all([answer(), random.chance(0.2) && answer()]);
      if (first !== 'unknown') return;
      await time.sleep(random.skewed(100, 10_000));
    }
  }

  #answered(job: string, question: string, text: string): void {
    const { answers } = this.#acknowledged;
    if (answers.has(question)) this.#onFault(`question ${question} was answered twice`);
    answers.set(question, { job, text });
  }

  /** Mostly a job that reads messages. */
  #newestRunning(): string | undefined {
    if (this.#deployment.random.chance(0.3)) return undefined;
    return this.#deployment.allJobs().findLast(({ status }) => status === 'RUNNING')?.id;
  }
}
