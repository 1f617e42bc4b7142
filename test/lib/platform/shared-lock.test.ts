import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedLocks } from '../../../lib/platform/shared-lock.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const START = Date.parse('2026-03-04T05:06:07.000Z');
let now = START;
let id = 0;
beforeEach(() => {
  now = START;
  id += 1;
});
const locksOf = (kind?: string) =>
  new SharedLocks({ ...deployment.registry, clock: { now: () => now }, ...(kind !== undefined && { kind }) });
const nameOf = (lock: string) => `${lock} ${id}`;

it('a lock has one holder, until it is released by that one', async () => {
  const locks = locksOf();
  const take = async (holder: string) => await locks.take(nameOf('a'), holder);
  expect([await take('ada'), await take('bob'), await take('ada')]).toEqual([true, false, true]);
  expect(await locks.take(nameOf('b'), 'bob')).toBe(true);
  await locks.release(nameOf('a'), 'bob');
  expect(await take('bob')).toBe(false);
  await locks.release(nameOf('a'), 'ada');
  await locks.release(nameOf('a'), 'ada');
  expect(await take('bob')).toBe(true);
});

it('a lock that is not renewed is free after half a minute, and a renewed one later', async () => {
  const locks = locksOf();
  const take = async (holder: string) => await locks.take(nameOf('a'), holder);
  await take('ada');
  now += 10_000;
  await take('ada');
  now = START + 40_000;
  expect(await take('bob')).toBe(false);
  now += 1;
  expect([await take('bob'), await take('ada')]).toEqual([true, false]);
});
