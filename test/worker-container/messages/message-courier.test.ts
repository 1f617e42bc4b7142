import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { acceptMessage } from '../../../lib/jobs/messages/accept-message.ts';
import { MessageCourier } from '../../../worker-container/messages/message-courier.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

let deployment: QuietDeployment;
let job: Job;
let courier: MessageCourier;
let said: string[];
let failures: string[];
beforeEach(async () => {
  deployment = quietDeployment();
  job = await deployment.store(aRunningJob({ agent: 'codex' }));
  [said, failures] = [[], []];
  const { time, texts, clock } = deployment;
  courier = new MessageCourier({
    ...{ messages: texts.messages, now: () => clock.now(), job, given: [], seen: new Set() },
    timing: { now: () => time.now, schedule: (run, delay) => time.schedule(run, delay) },
    onFailure: (error) => failures.push((error as Error).message),
  });
});

async function send(text: string): Promise<string> {
  const context = { ...deployment, messages: deployment.texts.messages };
  return (await acceptMessage(context, (await deployment.read(job)) ?? job, { text }, 'token:test')).id;
}

/** Has the next command that is like this fail, before it is applied or after. */
function failOnce(isLike: (command: unknown) => boolean, { applied = false } = {}): void {
  const { table } = deployment;
  const { send: given } = table;
  const real = given.bind(table) as (command: unknown) => Promise<unknown>;
  table.send = (async (command: unknown) => {
    if (!isLike(command)) return await real(command);
    table.send = given;
    if (applied) await real(command);
    throw new Error('the table is busy');
  }) as typeof given;
}

const isRead = (command: unknown) => command instanceof QueryCommand;
const isMark = (command: unknown) => command instanceof PutCommand && command.input.Item?.state === 'sent';

function open(): void {
  courier.open(({ id }) => said.push(id) > 0);
}

test.for([
  { what: "they can't be read", fail: () => failOnce(isRead) },
  { what: "one can't be marked", fail: () => failOnce(isMark) },
  { what: 'the answer to a mark is lost', fail: () => failOnce(isMark, { applied: true }) },
])('messages are given a moment later if $what', async ({ fail }) => {
  const ids = [await send('count to three'), await send('and to four')];
  fail();
  open();
  await deployment.pass(10);
  expect([said, failures]).toEqual([[], ['the table is busy']]);
  await deployment.pass(2_000);
  expect(said).toEqual(ids);
  courier.check();
  await deployment.pass(10);
  expect(said).toEqual(ids);
});

test('a message whose mark was repeated after its answer was lost is given', async () => {
  const id = await send('count to three');
  const { messages } = deployment.texts;
  const { change } = messages;
  // As the SDK does it: the second try fails because the first was applied.
  messages.change = async (...args) => {
    messages.change = change;
    await messages.change(...args);
    return await messages.change(...args);
  };
  open();
  await deployment.pass(10);
  expect(said).toEqual([id]);
});

test('nothing is given once the agent has ended', async () => {
  await send('count to three');
  failOnce(isRead);
  open();
  await deployment.pass(10);
  await courier.close();
  await deployment.pass(5_000);
  expect(said).toEqual([]);
});
