import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import * as z from 'zod';

const inputSchema = z.object({
  Name: z.string().default(''),
  Names: z.array(z.string()).default([]),
  Value: z.string().default(''),
  Type: z.string().default(''),
  Overwrite: z.boolean().default(false),
});

/** Stands in for SSM's Parameter Store on a loopback port: the calls that this service makes, as AWS answers them. */
export async function startParameterStore() {
  const parameters = new Map<string, { readonly type: string; readonly value: string }>();
  /** The actions called so far, with the parameter's name. */
  const calls: string[] = [];
  /** The error of every call, if there is one. */
  const store: { fail: string | undefined } = { fail: undefined };
  const act = async (request: IncomingMessage): Promise<[number, object]> => {
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const { Name, Names, Value, Type, Overwrite } = inputSchema.parse(await json(request));
    calls.push(`${action} ${Name || Names.join(' ')}`);
    if (store.fail !== undefined) return [400, { __type: store.fail, message: store.fail }];
    const known = parameters.get(Name);
    switch (action) {
      case 'GetParameter':
        return known === undefined
          ? [400, { __type: 'ParameterNotFound' }]
          : [200, { Parameter: { Name, Type: known.type, Value: known.value } }];
      case 'GetParameters': {
        if (Names.length > 10) return [400, { __type: 'ValidationException', message: 'names: at most 10' }];
        const Parameters = Names.flatMap((name) => {
          const found = parameters.get(name);
          return found === undefined ? [] : [{ Name: name, Type: found.type, Value: found.value }];
        });
        return [200, { Parameters, InvalidParameters: Names.filter((name) => !parameters.has(name)) }];
      }
      case 'PutParameter':
        if (known !== undefined && !Overwrite) return [400, { __type: 'ParameterAlreadyExists' }];
        parameters.set(Name, { type: Type, value: Value });
        return [200, { Version: 1 }];
      case 'DeleteParameters':
        if (Names.length > 10) return [400, { __type: 'ValidationException', message: 'names: at most 10' }];
        return [200, { DeletedParameters: Names.filter((name) => parameters.delete(name)) }];
      default:
        return [400, { __type: 'UnknownOperationException', message: action }];
    }
  };
  const server = createServer((request, response) => {
    void act(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(store, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    parameters,
    calls,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
