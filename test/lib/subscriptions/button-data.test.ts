import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomJobId } from '../../../lib/jobs/lifecycle/job-id.ts';
import { newQuestionId } from '../../../lib/jobs/store/question-store.ts';
import { readButton, signButton } from '../../../lib/subscriptions/answers/button-data.ts';

const PLACE = { secret: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', subscriptionId: 'sub_1', chat: '-1001234' };
const press = { jobId: randomJobId(), questionId: newQuestionId(), option: 9 };
const data = signButton(press, PLACE);

test('a button says which answer of which question it is, in the 64 bytes of Telegram', () => {
  expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  expect(readButton(data, PLACE)).toEqual(press);
});

test.for([
  { what: 'chat', place: { ...PLACE, chat: '-1001235' } },
  { what: 'subscription', place: { ...PLACE, subscriptionId: 'sub_2' } },
  { what: 'secret', place: { ...PLACE, secret: `${PLACE.secret}x` } },
  { what: 'pair of subscription and chat', place: { ...PLACE, subscriptionId: 'sub_1-100', chat: '1234' } },
])('a button of another $what is none', ({ place }) => {
  expect(readButton(data, place)).toBeUndefined();
});

test('the signature of one button fits no other option, question or job', () => {
  const others = [
    { ...press, option: 8 },
    { ...press, questionId: newQuestionId() },
    { ...press, jobId: randomJobId() },
  ];
  for (const other of others) {
    const forged = signButton(other, PLACE).slice(0, -20) + data.slice(-20);
    expect(readButton(forged, PLACE)).toBeUndefined();
  }
});

test('a button that is cut, extended or changed in any place is none', () => {
  const changed = fc.oneof(
    fc.nat(data.length - 1).map((length) => data.slice(0, length)),
    fc.string({ minLength: 1 }).map((more) => data + more),
    fc
      .tuple(fc.nat(data.length - 1), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }))
      .map(([at, other]) => data.slice(0, at) + other + data.slice(at + 1)),
    fc.string(),
  );
  fc.assert(
    fc.property(changed, (text) => {
      fc.pre(text !== data);
      expect(readButton(text, PLACE)).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('nothing is signed without a secret', () => {
  expect(() => signButton(press, { ...PLACE, secret: '' })).toThrow('no secret');
  expect(() => readButton(data, { ...PLACE, secret: '' })).toThrow('no secret');
});
