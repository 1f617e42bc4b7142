import { expect, it } from 'vitest';
import type * as z from 'zod';
import { apiEnv } from '../../../../lib/platform/config/api-env.ts';
import { coreEnv } from '../../../../lib/platform/config/core-env.ts';
import { scaleEnv } from '../../../../lib/platform/config/function-env.ts';
import { workerEnv } from '../../../../lib/platform/config/worker-env.ts';

const DAY = 86_400;

/** What a number in an environment may be: the smallest, the one it has when it is absent, and the largest. */
const RANGES: Readonly<Record<string, readonly [min: number, fallback: number, max: number]>> = {
  PROMPTQ_MAX_BODY_BYTES: [1, 2_097_152, 2_900_000],
  PROMPTQ_FOLLOW_STREAMS: [0, 5, 1_000],
  PROMPTQ_TOKEN_RATE: [0, 0, 10_000],
  PROMPTQ_SESSION_IDLE_SECONDS: [1, DAY / 3, 30 * DAY],
  PROMPTQ_SESSION_MAX_SECONDS: [1, DAY, 30 * DAY],
  PROMPTQ_ACCOUNT_PROBE_SECONDS: [1, 60, 3_600],
  PROMPTQ_USAGE_PROBE_SECONDS: [1, 300, DAY],
  PROMPTQ_OVERLOAD_PROBE_SECONDS: [1, 60, 3_600],
  PROMPTQ_MAX_WORKERS: [1, 10, 1_250],
  PROMPTQ_CONCURRENCY: [1, 1, 64],
  PROMPTQ_SLOT_ACCOUNTS: [1_000, 1_000, 12_500],
  PROMPTQ_SPOT_WEIGHT: [0, 0, 100],
  PROMPTQ_LOGIN_PORT: [0, 0, 65_535],
  PROMPTQ_UNACKNOWLEDGED_SECONDS: [1, 180, 3_600],
  PROMPTQ_WORKSPACE_DAYS: [0, 7, 36_500],
  PROMPTQ_ANSWER_WAIT_SECONDS: [1, 45, 90],
  PROMPTQ_STOP_GRACE_SECONDS: [0, 100, 115],
  PROMPTQ_OUTPUT_BYTES: [1, 1_073_741_824, 1_073_741_824],
};

const FRACTIONS: ReadonlySet<string> = new Set(['PROMPTQ_WORKSPACE_DAYS']);

const fields: Readonly<Record<string, z.ZodType>> = {
  ...workerEnv.shape,
  ...coreEnv.shape,
  ...apiEnv.shape,
  ...scaleEnv.shape,
};

it.each(Object.entries(RANGES))('%s has its range', (name, [min, fallback, max]) => {
  const accepts = (value: unknown) => fields[name]?.safeParse(value).success;
  expect(fields[name]?.parse(undefined)).toBe(fallback);
  expect([min, max].map(String).map(accepts)).toEqual([true, true]);
  expect([min - 1, max + 1].map(String).map(accepts)).toEqual([false, false]);
  expect(accepts(String(min + 0.5))).toBe(FRACTIONS.has(name));
});

it('every number has its range here', () => {
  const numbers = Object.entries(fields).filter(([, field]) => typeof field.safeParse(undefined).data === 'number');
  expect(numbers.map(([name]) => name).toSorted()).toEqual(Object.keys(RANGES).toSorted());
});
