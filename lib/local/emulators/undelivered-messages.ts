import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import type { ObjectStores } from './object-record.ts';
import type { EmulatorApp } from './object-stream.ts';

const receiveBody = z.object({ QueueUrl: z.string() });
const receiveAnswer = z.object({ Messages: z.array(z.object({ ReceiptHandle: z.string() })) });

/**
 * Returns messages to the queue that a long poll received for a client which has disconnected (such as a killed
 * worker). Otherwise they stay hidden until their visibility timeout ends.
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
  // The system may know that the client disconnected before this process does.
  await nextTurn();
  return socket.destroyed || socket.readableEnded || socket.writableEnded;
}
