import { readFileSync } from 'node:fs';
import * as z from 'zod';

const baselineSchema = z.strictObject({
  /** How often a request calls each command of AWS, by route. */
  requests: z.record(z.string(), z.record(z.string(), z.number())),
  /** How often a request waits for AWS, by route. */
  rounds: z.record(z.string(), z.number()),
  /** Sizes of functions' bundles. */
  bytes: z.record(z.string(), z.number()),
});
export type Baseline = z.output<typeof baselineSchema>;

export const BASELINE_FILE = new URL('baseline.json', import.meta.url);

export function readBaseline(): Baseline {
  return baselineSchema.parse(JSON.parse(readFileSync(BASELINE_FILE, 'utf8')));
}

/** How much of a value may be lost. Requests and rounds don't vary. */
const ALLOWANCE: Readonly<Record<keyof Baseline, number>> = { requests: 0, rounds: 0, bytes: 0.25 };

/** What is worse than the baseline, or is not in it; empty if nothing is. */
export function lossesOf<P extends keyof Baseline>(part: P, baseline: Baseline[P], measured: Baseline[P]): string[] {
  const [known, now] = [flat(baseline), flat(measured)];
  return [...new Set([...known.keys(), ...now.keys()])].flatMap((name) => {
    const [before, after] = [known.get(name) ?? 0, now.get(name) ?? 0];
    const isLoss = part === 'requests' || part === 'rounds' ? after !== before : after > before * (1 + ALLOWANCE[part]);
    return isLoss ? [`${name}: ${after} instead of ${before}`] : [];
  });
}

function flat(values: Readonly<Record<string, number | Readonly<Record<string, number>>>>): Map<string, number> {
  return new Map(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [[name, value] as const]
        : Object.entries(value).map(([of, count]) => [`${name}, ${of}`, count] as const),
    ),
  );
}
