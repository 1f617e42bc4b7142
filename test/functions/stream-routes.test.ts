import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { wholePath } from '../../lib/contract/route.ts';
import { routes } from '../../lib/contract/routes/routes.ts';
import { functionsUnderTest } from './functions-under-test.ts';

const STREAMED = routes.filter(({ mode }) => mode === 'stream');
const BODIES: Readonly<Record<string, object>> = {
  'jobs.edit': { title: 'a' },
  'jobs.replace': { prompt: 'a' },
  'jobs.edit-draft': { title: 'a' },
  'jobs.answer': { question_id: 'q', answer: 'a' },
};

/** A table that answers who the caller is, and nothing else. */
const hanging = createServer((incoming, answer) => {
  void text(incoming).then((body) => {
    const { TableName } = JSON.parse(body) as { TableName?: string };
    const isCaller =
      incoming.headers['x-amz-target']?.toString().endsWith('.GetItem') === true &&
      TableName === service.deployment.env.REGISTRY_TABLE;
    if (!isCaller) return;
    const { host: _, connection: __, ...headers } = incoming.headers;
    const target = String(service.deployment.variables.AWS_ENDPOINT_URL_DYNAMODB);
    request(target, { method: 'POST', headers, agent: false }, (from) => {
      answer.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(answer);
    }).end(body);
  });
});
afterAll(() => hanging.closeAllConnections());

const service = functionsUnderTest(
  Object.fromEntries(
    STREAMED.map(({ id }) => {
      const [resource, verb] = id.split('.');
      return [id, async () => await import(`../../functions/${resource}/${verb}.ts`)];
    }),
  ),
  async () => {
    hanging.listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    return { AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}` };
  },
  { streamMs: 2_000, silenceMs: 4_000 },
);

test('functions answer before CloudFront gives up, and slow work shows in time that it continues', () => {
  const { firstByteSeconds, silenceSeconds, readTimeoutSeconds } = LIMITS.stream;
  expect(firstByteSeconds).toBeLessThan(readTimeoutSeconds);
  expect(silenceSeconds).toBeLessThan(firstByteSeconds);
});

test('every route that streams answers itself if its stores do not', async () => {
  const token = await service.token();
  const answers = STREAMED.map(async (route) => {
    const path = wholePath(route).replaceAll(/\{[a-z_]+\}/g, 'job_01k9zzzzzzzzzzzzzzzzzzzzzz');
    const body =
      route.method === 'GET' || route.method === 'DELETE' ? {} : { body: JSON.stringify(BODIES[route.id] ?? {}) };
    const answer = await service.ask(path, { authorization: `Bearer ${token}` }, { method: route.method, ...body });
    return [route.id, answer.status, answer.headers.get('retry-after')];
  });
  expect(await Promise.all(answers)).toEqual(STREAMED.map(({ id }) => [id, 504, '5']));
});
