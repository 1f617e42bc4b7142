import { expect, it, vi } from 'vitest';
import { dataOf, openService, RefusedError } from '../../../lib/doctor/service/service.ts';
import { withService } from './stand-in-service.ts';

it('an address may end with a slash or the path of the API', () => {
  for (const end of ['', '/', '//', '/api/v1', '/api/v1/'])
    expect(openService({ baseUrl: `https://p.example${end}`, token: 't', isLocal: true }).baseUrl).toBe(
      'https://p.example',
    );
});

it.each([
  [{ error: 'unavailable', request_id: 'r-1' }, 'GET /health was answered 503 "unavailable", request r-1'],
  [{ error: 'unavailable' }, 'GET /health was answered 503 "unavailable"'],
  ['<html>', 'GET /health was answered 503 without a body of ours'],
  [null, 'GET /health was answered 503 without a body of ours'],
  [{}, 'GET /health was answered 503 without a body of ours'],
])('an answer %j that is no success is an error with what it says', async (body, message) => {
  const answer = () => ({ status: 503, body });
  const asked = withService({ answer, isLocal: true }, ({ api }) => dataOf('GET /health', api.GET('/api/v1/health')));
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RefusedError);
  expect(error).toMatchObject({ status: 503, message });
});

it('an answer without data is none, and a request ends after half a minute', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  const asked = dataOf('GET /health', Promise.resolve({ response: new Response(null, { status: 204 }) }));
  await expect(asked).rejects.toMatchObject({ status: 204 });
  const refused = dataOf('GET /health', Promise.resolve({ data: {}, response: new Response(null, { status: 500 }) }));
  await expect(refused).rejects.toMatchObject({ status: 500 });
  const answer = () => ({ status: 200, body: { version: '1' } });
  await withService({ answer, isLocal: true }, ({ api }) => dataOf('GET /health', api.GET('/api/v1/health')));
  expect(timeout.mock.calls).toEqual([[30_000]]);
  vi.restoreAllMocks();
});
