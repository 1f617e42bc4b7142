import { type Message, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import { writeBinding } from '../../../lib/bindings/write-binding.ts';
import { endAttempt } from '../../../lib/jobs/dispatch/end-attempt.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import { startReceiver } from '../../api/catalog/webhook-receiver.ts';
import { aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  deployment = await emulateDeployment();
  receiver = await startReceiver(({ path }) => [path === '/up' ? 200 : 503]);
  for (const [name, value] of Object.entries({ ...deployment.variables, PROMPTQ_CALLS_TO_LOOPBACK: '1' }))
    vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receiver.stop();
  await deployment.stop();
});

/** A job of a project has succeeded whose binding is to call this path: the message of the call is sent. */
async function makeDue(path: string) {
  const projects = new ProjectStore({ ...deployment.registry, clock: deployment.clock });
  const context = {
    ...deployment,
    secrets: new BindingSecretStore(deployment.registry),
    projects,
    reach: { loopback: true },
  };
  await writeBinding(context, { binding_mode: 'generic', project: path, target_url: `${receiver.url}/${path}` });
  const job = await deployment.store(aRunningJob({ id: jobIdOfKey(path), project_id: path, project: path }));
  const finished_at = new Date().toISOString();
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: job.id, finished_at });
  await deployment.output.putReceipt(receipt);
  await endAttempt(deployment, job, receipt);
  await runDueEffects(deployment);
}

it('a call that is done goes, one to repeat is hidden until then, and what only a later version can read stays', async () => {
  const QueueUrl = deployment.env.QUEUE_URL_DELIVERIES;
  for (const path of ['up', 'down']) await makeDue(path);
  for (const MessageBody of ['{"v":2}', 'no message', '{"v":1}'])
    await deployment.queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  const messages: Message[] = [];
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
  while (messages.length < 5) messages.push(...((await deployment.queues.send(receive)).Messages ?? []));
  const Records = messages.map(({ MessageId, ReceiptHandle, Body }) => ({
    ...{ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body },
  }));
  const { handler } = await import('../../../functions/triggers/deliver-calls.ts');
  const { lines, result } = await printedBy(async () => await handler({ Records } as unknown as SQSEvent));

  const kept = new Set(result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const keptBodies = messages.filter(({ MessageId }) => kept.has(MessageId ?? '')).map(({ Body }) => Body);
  expect(keptBodies.toSorted()).toEqual([expect.stringContaining('"down.generic"'), '{"v":2}']);
  expect([receiver.to('/up').length, receiver.to('/down').length]).toEqual([1, 1]);
  expect(lines).toContainEqual(expect.objectContaining({ what: 'signed calls', schema: 2, known: 1 }));
  const told = lines.filter(({ message }) => message === 'processed a call');
  const seconds = Object.fromEntries(told.map(({ binding, again_in_seconds: again }) => [binding, again]));
  // About five seconds, so that calls that failed together are not repeated together.
  expect(seconds).toEqual({ 'up.generic': undefined, 'down.generic': expect.any(Number) });
  expect(seconds['down.generic']).toBeGreaterThanOrEqual(4);
  expect(seconds['down.generic']).toBeLessThanOrEqual(6);
});
