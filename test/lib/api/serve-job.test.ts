import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import type { LambdaAnswer } from '../../../lib/api/answer.ts';
import { handleJob } from '../../../lib/api/serve.ts';
import type { Route } from '../../../lib/contract/route.ts';
import { randomJobId } from '../../../lib/jobs/lifecycle/job-id.ts';
import type { JobStore } from '../../../lib/jobs/store/job-store.ts';
import { aContext, anEvent, served, TOKEN, UNKNOWN } from './served.ts';

const { known } = served({ PROMPTQ_API_SCOPE_ENFORCE: '1' });

const ROUTE = {
  id: 'things.read',
  method: 'GET',
  path: '/things/{id}',
  auth: { kind: 'principal', scope: 'read' },
  summary: '',
  description: '',
  params: z.object({ id: z.string() }),
  query: undefined,
  body: undefined,
  headers: undefined,
  responses: { 200: { description: '', schema: z.object({ status: z.string() }) } },
  errors: ['job_not_found'],
  mode: 'buffered',
  access: {},
} as const satisfies Route;

const [stored, unknown] = [randomJobId(), randomJobId()];
const events: string[] = [];
const jobs = {
  get: async (id: string) => {
    events.push('read');
    await new Promise((resolve) => setImmediate(resolve));
    events.push('read ended');
    return id === stored ? { id, status: 'QUEUED', cause: { kind: 'client' } } : undefined;
  },
} as unknown as JobStore;

const handler = handleJob(
  ROUTE,
  () => ({ jobs }),
  async (_input, _call, _services, found) => ({ body: { status: (await found).status } }),
) as unknown as (event: APIGatewayProxyEvent, context: Context) => Promise<LambdaAnswer>;

async function statusOf(headers: Record<string, string>, id = stored, event: object = {}): Promise<number> {
  const { statusCode } = await handler(anEvent({ headers, pathParameters: { id }, ...event }), aContext());
  events.push(String(statusCode));
  return statusCode;
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeEach(() => {
  events.length = 0;
});

it('answers with the job, or 404 for an unknown id', async () => {
  expect([await statusOf(bearer(TOKEN)), await statusOf(bearer(TOKEN), unknown)]).toEqual([200, 404]);
});

it('a stranger learns nothing about a job, and is answered once the read has ended', async () => {
  expect(await statusOf(bearer(UNKNOWN), unknown)).toBe(401);
  expect(events).toEqual(['read', 'read ended', '401']);
});

it.each([
  {},
  { cookie: '__Host-promptq=short' },
  bearer('pq_short'),
  bearer(`${TOKEN.slice(0, -1)}!`),
  { 'x-perimeter-token': 'p' },
  { ...bearer(TOKEN), 'x-api-token': UNKNOWN },
] as Record<string, string>[])('reads nothing for what cannot be a credential: %o', async (headers) => {
  expect(await statusOf(headers)).toBe(401);
  expect(events).toEqual(['401']);
});

it('checks the caller, the scope, the input and then the job', async () => {
  const faulty = { multiValueQueryStringParameters: { no: ['1'] } };
  expect(await statusOf(bearer(UNKNOWN), unknown, faulty)).toBe(401);
  known.scopes = [];
  expect(await statusOf(bearer(TOKEN), unknown, faulty)).toBe(403);
  known.scopes = ['read'];
  expect(await statusOf(bearer(TOKEN), unknown, faulty)).toBe(400);
  expect(await statusOf(bearer(TOKEN), unknown)).toBe(404);
});
