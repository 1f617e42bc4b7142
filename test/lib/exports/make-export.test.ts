import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createExportMaking } from '../../../lib/composition/exports.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { fileKey } from '../../../lib/exports/export-objects.ts';
import type { ExportRecord } from '../../../lib/exports/export-record.ts';
import type { ExportStore } from '../../../lib/exports/export-store.ts';
import { type MakeContext, makeExport } from '../../../lib/exports/make-export.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const JOBS = 9;

let deployment: EmulatedDeployment;
const ids: string[] = [];
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (let at = 0; at < JOBS; at += 1) {
    const created_at = timestamp(deployment.clock.now() - 86_400_000 + at);
    ids.push((await deployment.store({ id: jobIdOfKey(String(at)), created_at })).id);
  }
});
afterAll(async () => {
  await deployment.stop();
});

/** Time of the exports: leases end when a test wants it. */
let now = 0;
let context: MakeContext;
let store: ExportStore;
beforeEach(async () => {
  now = deployment.clock.now();
  context = makingWith({});
  for (const { id } of await store.list()) await store.remove(id);
});

/** The services of one attempt: rows come one job at a time, and each makes a part. */
function makingWith(differences: Partial<MakeContext>): MakeContext {
  const clock = { now: () => now };
  const { table, env, objects } = deployment;
  const made = createExportMaking({ table, clock, env, s3: objects });
  store = made.exports;
  return { ...made, atOnce: 1, partBytes: 1, ...differences };
}

const started = async () => await store.create({ kind: 'jobs', format: 'csv' }, 'token:test');
const never = () => false;

/** Lets the lease of a dead attempt end. */
function wait() {
  now += 3_600_000;
}

async function rowsOf(record: Pick<ExportRecord, 'id'>): Promise<string[]> {
  const { Body } = await deployment.objects.send(
    new GetObjectCommand({
      Bucket: deployment.env.OUTPUT_BUCKET,
      Key: fileKey(record, 'jsonl'),
    }),
  );
  const text = (await Body?.transformToString()) ?? '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id);
}

async function keysOf({ id }: Pick<ExportRecord, 'id'>): Promise<string[]> {
  const { Contents = [] } = await deployment.objects.send(
    new ListObjectsV2Command({ Bucket: deployment.env.OUTPUT_BUCKET, Prefix: `exports/${id}/` }),
  );
  return Contents.map(({ Key = '' }) => Key.slice(`exports/${id}/`.length));
}

/** The process dies at its n-th write of a kind: nothing that comes after happens. */
function dyingAt(write: 'part' | 'listing' | 'next read' | 'join', n: number): MakeContext {
  const dead = new Promise<never>(() => undefined);
  let left = n;
  const isNow = () => {
    left -= 1;
    return left === 0;
  };
  const { exports, objects, join } = context;
  let isDead = false;
  return makingWith({
    exports: {
      get: async (id) => await exports.get(id),
      replace: async (...args: Parameters<typeof exports.replace>) => {
        if (isDead || (write === 'listing' && isNow())) return await die();
        const done = await exports.replace(...args);
        return write === 'next read' && isNow() ? await die() : done;
      },
    },
    objects: {
      putPart: async (...args) => {
        if (write === 'part' && isNow()) return await die();
        await objects.putPart(...args);
      },
      remove: async (...args) => await objects.remove(...args),
    },
    join: async (...args) => {
      if (write === 'join' && isNow()) return await die();
      await join(...args);
    },
  });

  async function die(): Promise<never> {
    isDead = true;
    died();
    return await dead;
  }
}
let died: () => void = () => undefined;

/** Runs an attempt until it has ended or died. */
async function attempt(making: MakeContext, id: string) {
  const death = new Promise<'died'>((resolve) => {
    died = () => resolve('died');
  });
  return await Promise.race([makeExport(making, id, never), death]);
}

describe('an attempt that dies', () => {
  it.each(['part', 'listing', 'next read', 'join'] as const)(
    'at its %s leaves the export to the next one, and each row is written once',
    async (write) => {
      const record = await started();
      for (const n of write === 'join' ? [1, 2] : [2, 3, 4]) {
        expect(await attempt(dyingAt(write, n), record.id)).toBe('died');
        expect(await keysOf(record)).not.toContain('whole.csv');
        // Until its lease has ended it may only be slow.
        expect(await makeExport(context, record.id, never)).toBe('left');
        wait();
      }
      expect(await makeExport(context, record.id, never)).toBe('done');
      expect(await rowsOf(record)).toEqual(ids);
      expect(await keysOf(record)).toEqual(['whole.csv', 'whole.jsonl']);
    },
  );

  it('time after time without getting further ends in a failure, which leaves no file', async () => {
    const record = await started();
    for (let n = 0; n < LIMITS.exports.attempts; n += 1) {
      expect(await attempt(dyingAt('listing', 2), record.id)).toBe('died');
      wait();
    }
    expect(await makeExport(context, record.id, never)).toBe('failed');
    expect(await store.get(record.id)).toMatchObject({ status: 'failed', rows: 0 });
    expect(await keysOf(record)).toEqual([]);
  });
});

it('a part that a slow attempt stores after another one has taken over is no part of the export', async () => {
  const record = await started();
  let parts = 0;
  const slow = makingWith({
    objects: {
      remove: async (...args) => await context.objects.remove(...args),
      putPart: async (...args) => {
        parts += 1;
        if (parts === 3) {
          wait();
          let batches = 0;
          const isTimeUp = () => {
            batches += 1;
            return batches === 2;
          };
          expect(await makeExport(makingWith({ atOnce: 2 }), record.id, isTimeUp)).toBe('again');
        }
        await context.objects.putPart(...args);
      },
    },
  });
  expect(await makeExport(slow, record.id, never)).toBe('left');
  expect(await makeExport(context, record.id, never)).toBe('done');
  expect(await rowsOf(record)).toEqual(ids);
});

it('a store that fails leaves the export to the next attempt at once', async () => {
  const record = await started();
  let parts = 0;
  const failing = makingWith({
    objects: {
      remove: async (...args) => await context.objects.remove(...args),
      putPart: async (...args) => {
        parts += 1;
        if (parts === 4) throw new Error('SlowDown');
        await context.objects.putPart(...args);
      },
    },
  });
  await expect(makeExport(failing, record.id, never)).rejects.toThrow('SlowDown');
  expect(await makeExport(context, record.id, never)).toBe('done');
  expect(await rowsOf(record)).toEqual(ids);
});

it('an export that is deleted while it runs leaves nothing', async () => {
  const record = await started();
  let parts = 0;
  const running = makingWith({
    objects: {
      remove: async (...args) => await context.objects.remove(...args),
      putPart: async (...args) => {
        await context.objects.putPart(...args);
        parts += 1;
        if (parts === 5) await store.remove(record.id);
      },
    },
  });
  expect(await makeExport(running, record.id, never)).toBe('left');
  expect(await keysOf(record)).toEqual([]);
});

it('continues in a further call when its time is up', async () => {
  const record = await started();
  let made: string = '';
  let calls = 0;
  for (; made !== 'done'; calls += 1) {
    let batches = 0;
    made = await makeExport(context, record.id, () => {
      batches += 1;
      return batches === 4;
    });
  }
  expect(calls).toBe(3);
  expect(await rowsOf(record)).toEqual(ids);
});

it('of concurrent requests only as many are accepted as may run', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 6 }, started));
  const { running } = LIMITS.exports;
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(running);
  expect(await store.list()).toHaveLength(running);
});
