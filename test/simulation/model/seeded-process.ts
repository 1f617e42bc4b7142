import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { SeededRandom } from '../seeded-random.ts';
import type { VirtualTime } from './virtual-time.ts';

/*
 * What the modules take from Node itself: random bytes for ids, random pauses, timers. In a world these follow from its
 * seed and its time, so that a seed gives the same course twice, to the last id. Outside of worlds, Node's own are used.
 *
 * Worlds of one thread take turns. The context of a call tells which one it belongs to.
 */

interface Surroundings {
  readonly random: SeededRandom;
  readonly time: VirtualTime;
}

const worlds = new AsyncLocalStorage<Surroundings>();

/** Runs a world. @param seed of what is random in the modules: the world draws its own random numbers */
export function inWorld<T>({ seed, time }: { seed: number; time: VirtualTime }, run: () => Promise<T>): Promise<T> {
  return worlds.run({ random: new SeededRandom(seed ^ 0x5eed), time }, run);
}

const own = { randomBytes: crypto.randomBytes, randomUUID: crypto.randomUUID, random: Math.random };
const { setTimeout: sleep } = timers;

function seededBytes({ random }: Surroundings, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}

function seededUuid(world: Surroundings): `${string}-${string}-${string}-${string}-${string}` {
  const hex = seededBytes(world, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

Object.assign(crypto, {
  randomBytes: (length: number) => {
    const world = worlds.getStore();
    return world === undefined ? own.randomBytes(length) : seededBytes(world, length);
  },
  randomUUID: () => {
    const world = worlds.getStore();
    return world === undefined ? own.randomUUID() : seededUuid(world);
  },
});
Object.assign(timers, {
  setTimeout: async (delay?: number, value?: unknown, options?: Parameters<typeof sleep>[2]) => {
    const world = worlds.getStore();
    if (world === undefined) return await sleep(delay, value, options);
    await world.time.sleep(delay ?? 1);
    return value;
  },
});
Math.random = () => worlds.getStore()?.random.next() ?? own.random();
syncBuiltinESMExports();
