import { expect, it } from 'vitest';
import { answerIn, canAsk, formOf } from '../../../lib/mcp/asking.ts';

const request = { mcpReq: {} } as Parameters<typeof canAsk>[1];
const clientWith = (elicitation: object | undefined) =>
  ({ getClientCapabilities: () => ({ elicitation }) }) as unknown as Parameters<typeof canAsk>[0];

it.each([
  ['a form', { form: {} }, true],
  ['a form and a page', { form: {}, url: {} }, true],
  ['forms before they had a name', {}, true],
  ['a page alone', { url: {} }, false],
  ['nothing', undefined, false],
])('a client that shows %s can be asked: %o, %s', (_, elicitation, expected) => {
  expect(canAsk(clientWith(elicitation), request)).toBe(expected);
});

it("a form suggests a question's options and default, if it has any", () => {
  const question = { job_id: 'job_1', question: 'Which?', options: ['a', 'b'], default: 'a' };
  const answerOf = (more: object) =>
    formOf({ ...question, ...more } as Parameters<typeof formOf>[0]).requestedSchema.properties.answer;
  expect(answerOf({})).toMatchObject({ description: 'Suggested: a, b', default: 'a' });
  expect(answerOf({ options: [] })).not.toHaveProperty('description');
  expect(answerOf({ default: null })).not.toHaveProperty('default');
});

it.each([
  ['accepts', { action: 'accept', content: { answer: 'a' } }, 'a'],
  ['declines', { action: 'decline', content: { answer: 'a' } }, null],
  ['answers something else', { roots: [], content: { answer: 'a' } }, null],
  ['sends no text', { action: 'accept', content: { answer: 7 } }, null],
])('a user who %s has answered so', (_, response, text) => {
  const inContext = (inputResponses?: object) =>
    answerIn({ mcpReq: { inputResponses } } as Parameters<typeof answerIn>[0]);
  expect(inContext({ q_1: response })).toEqual({ questionId: 'q_1', text });
  expect([inContext({}), inContext()]).toEqual([undefined, undefined]);
});
