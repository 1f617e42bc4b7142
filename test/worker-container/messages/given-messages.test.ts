import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { withMessages } from '../../../worker-container/messages/message-courier.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

it('an agent that starts over gets what an earlier one had, which stays delivered', async () => {
  const deployment = quietDeployment();
  const { messages } = deployment.texts;
  const job = await deployment.store({ id: 'job_1', agent: 'codex', status: 'RUNNING', attempt: 2, messages: 2 });
  const row = { text: 'hello', created_at: '2026-11-20T10:00:00.000Z', created_by: 'ada', attempt: 1 };
  for (const [number, state] of [
    [1, 'delivered'],
    [2, 'sent'],
  ] as const)
    await deployment.table.send(
      new PutCommand(messages.creation(job.id, { ...row, id: `msg_${number}`, number, state })),
    );
  const giving = { messages, now: () => 0, inSession: new Set<string>(), most: 1_000 };
  const { prompt, given } = await withMessages(giving, job, 'Count.');
  expect([prompt, given]).toEqual(['Count.\n\nMessage msg_1:\nhello\n\nMessage msg_2:\nhello', ['msg_1', 'msg_2']]);
  // An attempt that was replaced long ago may do this after the job's end has settled the messages.
  expect(await messages.list(job.id)).toMatchObject([
    { state: 'delivered', attempt: 1 },
    { state: 'sent', attempt: 2 },
  ]);
});

/** A running job with messages in these states, in order, and what its attempt's prompt then is. */
async function given(
  states: readonly string[],
  { inSession = [], most = 1_000 }: { inSession?: readonly string[]; most?: number } = {},
) {
  const deployment = quietDeployment();
  const { messages } = deployment.texts;
  const job = await deployment.store({ id: 'job_1', agent: 'codex', status: 'RUNNING', attempt: 2, messages: 1 });
  const row = { text: 'hello', created_at: '2026-11-20T10:00:00.000Z', created_by: 'ada', attempt: 1 };
  for (const [at, state] of states.entries()) {
    const message = { ...row, id: `msg_${at}`, number: at + 1, state } as Parameters<typeof messages.creation>[1];
    await deployment.table.send(new PutCommand(messages.creation(job.id, message)));
  }
  deployment.calls.length = 0;
  const giving = { messages, now: () => Date.parse('2026-11-20T12:00:00.000Z'), inSession: new Set(inSession), most };
  const result = await withMessages(giving, job, 'Count.');
  const writes = deployment.calls.length;
  return { ...result, writes, rows: await messages.list(job.id) };
}

it('messages are given in order, as far as the prompt may be longer', async () => {
  const one = 'Count.\n\nMessage msg_0:\nhello'.length;
  expect((await given(['pending', 'pending'], { most: one })).given).toEqual(['msg_0']);
  const { given: none, rows } = await given(['pending', 'pending'], { most: one - 1 });
  expect(none).toEqual([]);
  expect(rows).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
});
