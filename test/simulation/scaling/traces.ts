import type { SeededRandom } from '../seeded-random.ts';

/** Seconds since the beginning. */
export interface TracedJob {
  readonly at: number;
  readonly seconds: number;
  readonly project: string;
  /** It is the login of a vendor account, which has no message in a queue. */
  readonly login?: boolean;
}

export interface Trace {
  readonly name: string;
  readonly jobs: readonly TracedJob[];
  /** Percent of the tasks that are on Spot. */
  readonly spotWeight: number;
  /** When Spot takes back all its tasks, and has none for a while. */
  readonly storms: readonly { readonly at: number; readonly seconds: number }[];
  /** Seconds after which no client waits. */
  readonly end: number;
}

const HOUR = 3_600;
const CALM = { spotWeight: 0, storms: [] } as const;

/** Eight minutes on average, log-normal, as agents' jobs are: many short ones, a few long ones. */
function seconds(random: SeededRandom): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.min(HOUR, Math.max(20, 480 * Math.exp(0.8 * normal - 0.32)));
}

function poisson(random: SeededRandom, until: number, perHour: (at: number) => number): number[] {
  const times: number[] = [];
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random.next()) * HOUR) / Math.max(0.01, perHour(at));
    if (at >= until) return times;
    times.push(at);
  }
}

const job = (random: SeededRandom, at: number, project = 'a'): TracedJob => ({ at, seconds: seconds(random), project });
const many = (random: SeededRandom, count: number, at = 0): TracedJob[] =>
  Array.from({ length: count }, () => job(random, at + random.next()));

/** What the policies are compared on. */
export function traces(random: SeededRandom): readonly Trace[] {
  const others = poisson(random, HOUR, () => 60).map((at, n) => job(random, at, `other${n % 6}`));
  const day = (at: number) => 4 + 36 * Math.sin((Math.PI * at) / (24 * HOUR)) ** 4;
  return [
    {
      ...CALM,
      name: 'single',
      jobs: Array.from({ length: 200 }, (_, n) => job(random, n * 3 * HOUR + HOUR * random.next())),
      end: 604 * HOUR,
    },
    { ...CALM, name: 'burst of 1,000', jobs: many(random, 1_000), end: 24 * HOUR },
    {
      ...CALM,
      name: 'diurnal',
      jobs: poisson(random, 24 * HOUR, day).map((at) => job(random, at)),
      end: 36 * HOUR,
    },
    { ...CALM, name: 'flood by one', jobs: [...many(random, 1_000), ...others], end: 24 * HOUR },
    {
      name: 'Spot storm',
      jobs: many(random, 300),
      spotWeight: 50,
      storms: [600, 1_500, 2_400].map((at) => ({ at, seconds: 600 })),
      end: 24 * HOUR,
    },
    {
      ...CALM,
      name: 'login at zero',
      jobs: Array.from({ length: 40 }, (_, n) => {
        return { at: n * HOUR + 1_800 * random.next(), seconds: 60 + 120 * random.next(), project: 'a', login: true };
      }),
      end: 41 * HOUR,
    },
  ];
}
