import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * What happens to a request on its way to an S3: it passes, is refused (503), breaks before it arrives, is carried out
 * without an answer, or its answer breaks after some bytes.
 */
export type Fault = 'none' | 'refused' | 'lost' | 'unanswered' | { cutAfter: number };

export interface FaultyS3 {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** An S3 in front of another one, on 127.0.0.1, that does with each request what `faultOf` says. */
export async function startFaultyS3(target: string, faultOf: (call: IncomingMessage) => Fault): Promise<FaultyS3> {
  const server = createServer((call, answer) => {
    forward(target, call, answer, faultOf(call)).catch(() => answer.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function forward(target: string, call: IncomingMessage, answer: ServerResponse, fault: Fault): Promise<void> {
  if (fault === 'lost') {
    call.socket.destroy();
    return;
  }
  if (fault === 'refused') {
    await text(call);
    answer.writeHead(503).end();
    return;
  }
  const onward = request(new URL(call.url ?? '/', target), { method: call.method, headers: call.headers });
  call.pipe(onward);
  const [reply]: IncomingMessage[] = await once(onward, 'response');
  if (reply === undefined || fault === 'unanswered') {
    reply?.resume();
    answer.destroy();
    return;
  }
  answer.writeHead(reply.statusCode ?? 500, reply.headers);
  if (fault === 'none') {
    reply.pipe(answer);
    return;
  }
  let left = fault.cutAfter;
  for await (const chunk of reply) {
    answer.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) break;
  }
  setImmediate(() => answer.destroy());
}
