import { expect, it } from 'vitest';
import { answeredStream, pendingOf, readEventId, requestOf, unansweredStream } from '../../../lib/mcp/resumption.ts';

const request = (id: unknown, params: unknown = { taskId: 'job_1' }, method = 'tasks/result') =>
  pendingOf({ jsonrpc: '2.0', id, method, params });
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

it.each([7, 'a', 'x'.repeat(100)])('a request %j for a result is asked again behind each event', (id) => {
  const first = request(id);
  expect(first).toEqual({ task: 'job_1', id, times: 0 });
  let pending = first;
  for (const times of [1, 2]) {
    const lines = pending === undefined ? [] : unansweredStream(pending).split('\n');
    expect(lines.slice(1)).toEqual(['retry: 2000', 'data:', '', '']);
    pending = readEventId(lines[0]?.slice('id: '.length) ?? '');
    expect(pending).toEqual({ task: 'job_1', id, times });
  }
  expect(pending && requestOf(pending)).toEqual({
    ...{ jsonrpc: '2.0', id, method: 'tasks/result', params: { taskId: 'job_1' } },
  });
});

it('other requests are not resumed', () => {
  expect(request(7, { taskId: 'job_1' }, 'tasks/get')).toBeUndefined();
  for (const id of [undefined, null, 'x'.repeat(101)]) expect(request(id)).toBeUndefined();
  expect(pendingOf({ jsonrpc: '2.0', id: 7, method: 'tasks/result' })).toBeUndefined();
  for (const params of [null, {}, { taskId: 7 }]) expect(request(7, params)).toBeUndefined();
});

it('an event id that is not of an unfinished request is ignored', () => {
  const [id = ''] = answeredStream({ jsonrpc: '2.0' }).split('\n');
  for (const text of ['', 'end', id.slice(4), encoded(null), encoded({ task: 'job_1', id: 7, times: -1 })])
    expect(readEventId(text)).toBeUndefined();
});

it('an answer ends the stream', () => {
  expect(answeredStream({ id: 7, result: {} })).toBe('id: end\ndata: {"id":7,"result":{}}\n\n');
});
