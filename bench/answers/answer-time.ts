import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { callVendor } from '../../test/api/practice-calls.ts';
import { type OwnService, startService, waitFor } from '../../test/local-run/local-service.ts';
import { type TelegramPhone, telegramPhone } from '../../test/local-run/telegram-phone.ts';

/*
 * `npm run bench -- answers [--answers N] [--parked]`: how long an answer from a phone takes to reach the agent. Jobs of
 * a local run, one after the other, ask with the real codex CLI on the practice vendor. A person presses a button in the
 * stand-in of Telegram, and the time runs until the model gets the next request of that job's session.
 *
 * By default the agent still waits for the answer. With `--parked` its turn has ended and the job waits without a
 * process, so the answer also has to start the CLI again.
 */

const { values } = parseArgs({
  options: { answers: { type: 'string', default: '10' }, parked: { type: 'boolean', default: false } },
});
const count = Number(values.answers);
const ADA = 1001;
const LIMIT = { timeoutMs: 180_000 };

const service = await startService({
  env: { PROMPTQ_MESSENGERS: 'practice', PROMPTQ_ANSWER_WAIT_SECONDS: values.parked ? '1' : '90' },
});
try {
  const phone = await telegramPhone(service);
  const made = await service.api('POST', '/subscriptions', {
    ...{ name: 'Phone', target: { telegram: phone.target }, answers_from: [String(ADA)] },
  });
  if (made.status !== 201) throw new Error(made.text);
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) times.push(await timeOf(service, phone, `Which color, for the ${at}th door?`));
  show(times);
} finally {
  await service.stop();
}

/** Milliseconds from the press to the model's next request. */
async function timeOf({ api, home }: OwnService, phone: TelegramPhone, question: string): Promise<number> {
  const prompt = `drill: use ask_human ${JSON.stringify({ question, options: ['red', 'blue'] })}`;
  const { id } = (await api('POST', '/jobs', { prompt })).json;
  const message = await waitFor(async () => {
    const { messages } = await phone.call('GET', 'state');
    return messages.find((one: { text: string }) => one.text.includes(question));
  }, LIMIT);
  const job = async () => (await api('GET', `/jobs/${id}`)).json;
  if (values.parked) await waitFor(async () => (await job()).status === 'QUEUED', LIMIT);
  const pressed = Date.now();
  const { callback_data: data } = message.reply_markup.inline_keyboard[1][0];
  await phone.call('POST', 'press', { chat: ADA, person: ADA, message: message.message_id, data });
  const next = await waitFor(async () => {
    const { items } = await callVendor(home, 'GET', '/practice/requests');
    return items.map(({ at }: { at: string }) => Date.parse(at)).find((at: number) => at >= pressed);
  }, LIMIT);
  await waitFor(async () => (await job()).status === 'SUCCEEDED', LIMIT);
  return next - pressed;
}

function show(times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const seconds = (ms = 0) => (ms / 1000).toFixed(2);
  const middle = ((sorted[Math.floor((count - 1) / 2)] ?? 0) + (sorted[Math.floor(count / 2)] ?? 0)) / 2;
  const agent = values.parked ? 'the job waited without a process' : 'the agent waited for the answer';
  console.log(`${count} answers by a button of the stand-in of Telegram; ${agent}`);
  console.log(
    `from the press to the model's next request: median ${seconds(middle)} s, longest ${seconds(sorted.at(-1))} s`,
  );
  console.log(
    `on ${availableParallelism()} cores with a load of ${loadavg()[0]?.toFixed(1)}, codex on the practice vendor`,
  );
}
