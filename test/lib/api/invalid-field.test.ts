import { expect, it } from 'vitest';
import * as z from 'zod';
import { invalidRequest } from '../../../lib/api/invalid-field.ts';
import { InvalidFieldError } from '../../../lib/contract/errors.ts';

const route = { query: z.object({ limit: z.string() }), headers: z.object({ 'if-match': z.string() }) };
const NONE = { query: undefined, headers: undefined };

it.each([
  ['limit', 'query.limit'],
  ['limit[0]', 'query.limit[0]'],
  ['if-match', 'header.if-match'],
  ['profiles[0].limit', 'body.profiles[0].limit'],
  ['limits', 'body.limits'],
])('a rejected field is named with its place in the request: %s', (field, place) => {
  expect(invalidRequest(InvalidFieldError.of(field, 'no'), route)).toMatchObject({
    ...{ code: 'invalid_request', message: `${place}: no`, details: undefined },
  });
  expect(invalidRequest(InvalidFieldError.of(field, 'no'), NONE).message).toBe(`body.${field}: no`);
});

it('fields that contradict each other are named together, and a fault of the whole is one of the body', () => {
  expect(invalidRequest(InvalidFieldError.of(['limit', 'text'], 'no'), route).message).toBe(
    'query.limit and body.text: no',
  );
  expect(invalidRequest(InvalidFieldError.of([], 'no'), route).message).toBe('body: no');
});

it('the first of several faults is the message, and up to 50 are listed', () => {
  const problems = Array.from({ length: 60 }, (_, at) => ({ fields: [`f${at}`], problem: 'no' }));
  const { message, details } = invalidRequest(new InvalidFieldError(problems), route);
  expect(message).toBe('body.f0: no (and 59 more: details.faults)');
  expect(details).toEqual({ faults: problems.slice(0, 50).map(({ fields }) => `body.${fields[0]}: no`) });
  const two = invalidRequest(new InvalidFieldError(problems.slice(0, 2)), route);
  expect(two.details).toEqual({ faults: ['body.f0: no', 'body.f1: no'] });
});
