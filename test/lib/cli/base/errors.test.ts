import { expect, it } from 'vitest';
import { CommandError, explain, usageError } from '../../../../lib/cli/base/errors.ts';
import { RequestError, UnreachableError } from '../../../../lib/client/errors.ts';

const request = (status: number) => new RequestError(status, { error: 'refused' });
const stackless = Object.assign(new Error('broken'), { stack: undefined });

it.each<[string, unknown, number, string]>([
  ['of a command', new CommandError(3, 'cancelled'), 3, 'cancelled'],
  ['of usage', usageError('give a prompt'), 2, 'give a prompt'],
  ['of a service that is not reached', new UnreachableError('no answer'), 6, "can't reach the service: no answer"],
  ['of an invalid token', request(401), 5, 'the service does not accept the token; `promptq login` saves another one'],
  ['of a token without a scope', request(403), 5, 'refused'],
  ['of what is not found', request(404), 4, 'refused'],
  ['of a request that is rejected', request(400), 2, 'refused'],
  ['of a conflict', request(409), 2, 'refused'],
  ['without a stack', stackless, 70, 'broken'],
  ['that is no error', 7, 70, '7'],
])('the failure %s is explained, with its exit code', (_, error, exitCode, message) => {
  expect(explain(error, {})).toEqual({ exitCode, message });
});

it('an unexpected error shows its stack, and a refused token of the environment its variable', () => {
  const error = new Error('broken');
  expect(explain(error, {})).toEqual({ exitCode: 70, message: error.stack });
  expect(explain(request(401), { PROMPTQ_TOKEN: 'pq_x' }).message).toBe(
    'the service does not accept the token of PROMPTQ_TOKEN',
  );
  expect(explain(request(403), { PROMPTQ_TOKEN: 'pq_x' }).message).toBe('refused');
});

it('a sentence of the service is enough, with each of its faults, and with its id only for a failure of the service', () => {
  const of = (status: number, body: RequestError['body']) => explain(new RequestError(status, body), {}).message;
  const ended = { error: 'cancel: the job has ended', details: { state: 'SUCCEEDED', action: 'cancel' } };
  expect(of(400, { ...ended, request_id: 'r' })).toBe('cancel: the job has ended');
  const faults = ['body.cwd: received "x"; no', 'body.tags: received 7'];
  const several = (count: number) => `${faults[0]} (and ${count} more: details.faults)`;
  expect(of(400, { error: several(1), details: { faults } })).toBe('cwd: received "x"; no; tags: received 7');
  expect(of(400, { error: several(3), details: { faults } })).toMatch(/; tags: received 7; and 2 more$/);
  expect(of(409, { error: 'busy', details: { by: 'j' } })).toBe('busy {"by":"j"}');
  expect(of(500, { error: 'internal_error', request_id: 'r' })).toBe('internal_error (request r)');
});
