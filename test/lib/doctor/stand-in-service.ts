import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openService, type Service } from '../../../lib/doctor/service/service.ts';

/** Runs the doctor on a service that answers each request, `METHOD path` and its body, with what `answer` returns. */
export async function withService<T>(
  {
    answer,
    isLocal,
  }: { answer: (request: string, body: string) => { status: number; body: unknown }; isLocal: boolean },
  look: (service: Service) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const { status, body } = answer(`${request.method} ${request.url}`, sent);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await look(openService({ baseUrl: `http://127.0.0.1:${port}`, token: 'x', isLocal }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
