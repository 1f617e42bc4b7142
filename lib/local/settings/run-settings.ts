/** A variable of the environment with a value that it does not allow. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Numbers that an operator may set for the process of a local run. */
const NUMBERS = {
  /** Of the sign-in, which a container or a tunnel forwards; any free port unless it is set. */
  signInPort: { variable: 'PROMPTQ_SIGN_IN_PORT', least: 1, most: 65_535, isWhole: true },
  /** Seconds between runs of the reconciler. */
  watchSeconds: { variable: 'PROMPTQ_WATCH_SECONDS', least: 0.1, most: 3_600 },
  /** Seconds between deletions of expired data. */
  sweepSeconds: { variable: 'PROMPTQ_SWEEP_SECONDS', least: 0.1, most: 86_400 },
  /** Requests a second of the stage that the gateway simulates, and at once; no limit unless the first is set. */
  throttleRate: { variable: 'PROMPTQ_THROTTLE_RATE', least: 0.01, most: 1_000_000 },
  throttleBurst: { variable: 'PROMPTQ_THROTTLE_BURST', least: 1, most: 1_000_000, isWhole: true },
  /** Of the AWS account that the gateway simulates; no limit unless it is set. */
  lambdaConcurrency: { variable: 'PROMPTQ_LAMBDA_CONCURRENCY', least: 1, most: 1_000_000, isWhole: true },
} as const;

export type RunSettings = Readonly<Record<keyof typeof NUMBERS, number | undefined>>;

/** @throws SettingError for the first variable whose value is not allowed; an empty one is not set */
export function readRunSettings(source: Readonly<Record<string, string | undefined>>): RunSettings {
  const read = ([name, { variable, ...allowed }]: readonly [string, NumberSetting]) => {
    const given = source[variable];
    return [name, given === undefined || given === '' ? undefined : numberIn(given, variable, allowed)];
  };
  return Object.fromEntries(Object.entries(NUMBERS).map(read));
}

const DEFAULT_PORT = 8787;

/** @throws SettingError unless it is a port, 0 for any free one, or not set */
export function readPort(given: string | undefined): number {
  if (given === undefined || given === '') return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  throw new SettingError(
    `PORT is ${JSON.stringify(given)}; it must be a number from 1 to 65535, or 0 for any free port`,
  );
}

/** The stage's throttling that the gateway simulates, if any. */
export function throttlingOf({ throttleRate: rate, throttleBurst }: RunSettings) {
  return rate === undefined ? undefined : { rate, burst: throttleBurst ?? Math.ceil(2 * rate) };
}

interface NumberSetting extends Range {
  readonly variable: string;
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly isWhole?: boolean;
}

function numberIn(given: string, variable: string, { least, most, isWhole = false }: Range): number {
  const value = Number(given);
  if (given.trim() !== '' && value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'a whole number' : 'a number';
  throw new SettingError(`${variable} is ${JSON.stringify(given)}; it must be ${kind} from ${least} to ${most}`);
}
