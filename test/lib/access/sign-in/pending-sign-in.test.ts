import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { beginSignIn, resumeSignIn } from '../../../../lib/access/sign-in/sign-in.ts';

const NOW = Date.UTC(2030, 0);
const TEN_MINUTES = 600_000;

function begin(returnTo = '/jobs?q=ä&x=.#y', taken = new Set<string>()) {
  const begun = beginSignIn({ returnTo, taken, now: NOW });
  return { ...begun, secrets: new Map([[begun.slot, begun.secret]]) };
}

it('is resumed by the browser that began it, until ten minutes are over', () => {
  const { proof, slot, secret, secrets } = begin();
  const expected = { proof, slot, secret, returnTo: '/jobs?q=ä&x=.#y' };
  expect(resumeSignIn({ state: proof.state, secrets, now: NOW + TEN_MINUTES - 1 })).toEqual(expected);
  expect(resumeSignIn({ state: proof.state, secrets, now: NOW + TEN_MINUTES })).toBeUndefined();
});

it('is not resumed without its own cookie', () => {
  const { proof, slot, secret } = begin();
  const other = String((Number(slot) + 1) % 32);
  for (const secrets of [
    new Map(),
    new Map([[other, secret]]),
    new Map([[slot, begin().secret]]),
    new Map([[slot, '']]),
    new Map([['', secret]]),
  ])
    expect(resumeSignIn({ state: proof.state, secrets, now: NOW })).toBeUndefined();
});

it('is not resumed with any part of its state changed', () => {
  const { proof, slot, secrets } = begin('/jobs');
  const [, expiresAt, returnTo, mac] = proof.state.split('.');
  const elsewhere = Buffer.from('//evil.example').toString('base64url');
  const keyless = createHmac('sha256', '').update(`state:${slot}.${expiresAt}.${elsewhere}`).digest('base64url');
  for (const state of [
    '',
    'x'.repeat(43),
    `${slot}.${Number(expiresAt) + 1}.${returnTo}.${mac}`,
    `${slot}.${expiresAt}.${elsewhere}.${mac}`,
    `${slot}.${expiresAt}.${elsewhere}.${keyless}`,
    `${slot}.${expiresAt}.${returnTo}.${mac?.slice(1)}`,
    `${slot}.${expiresAt}.${returnTo}.`,
    `${slot}.${expiresAt}.${returnTo}`,
    `0${slot}.${expiresAt}.${returnTo}.${mac}`,
  ])
    expect(resumeSignIn({ state, secrets, now: NOW })).toBeUndefined();
});

it('proves each sign-in with separate values, none of which reveals the secret', () => {
  const [first, second] = [begin(), begin()];
  const values = [first, second].flatMap(({ proof, secret }) => [secret, ...Object.values(proof)]);
  expect(new Set(values).size).toBe(8);
  for (const { secret, proof } of [first, second]) expect(Object.values(proof).join(' ')).not.toContain(secret);
});

it('takes a free slot if any, of at most 32', () => {
  const taken = new Set<string>();
  for (let count = 0; count < 32; count++) {
    const { slot } = begin('/', taken);
    expect(taken.has(slot)).toBe(false);
    taken.add(slot);
  }
  expect(taken.has(begin('/', taken).slot)).toBe(true);
});
