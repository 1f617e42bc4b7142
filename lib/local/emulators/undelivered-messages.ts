import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import type { ObjectStores } from './object-files.ts';
import type { EmulatorApp } from './object-stream.ts';

const receiveBody = z.object({ QueueUrl: z.string() });
const receiveAnswer = z.object({ Messages: z.array(z.object({ ReceiptHandle: z.string() })) });

/**
 * Puts messages back that a long poll took for a client which has gone meanwhile (a worker that was killed, say).
 * Otherwise nobody would see them before their visibility ends.
 */
export function giveBackUndelivered(app: EmulatorApp, queues: ObjectStores['sqsStore']): void {
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return payload;
    const body = receiveBody.safeParse(request.body);
    const answer = receiveAnswer.safeParse(payload);
    if (!body.success || !answer.success || !(await hasGone(request.raw.socket))) return payload;
    const queue = queues.getQueue(body.data.QueueUrl);
    for (const message of answer.data.Messages) queue?.changeVisibility(message.ReceiptHandle, 0);
    return payload;
  });
}

async function hasGone(socket: Socket): Promise<boolean> {
  // The client's end may be known to the system, but not to us yet.
  await nextTurn();
  return socket.destroyed || socket.readableEnded || socket.writableEnded;
}
