import { createHash } from 'node:crypto';
import { hrtime } from 'node:process';
import { generateToken, isWellFormed } from '../lib/access/tokens/api-tokens.ts';
import { TokenStore } from '../lib/access/tokens/token-store.ts';
import { emulateDeployment } from '../test/stand-ins/emulated-deployment.ts';

/**
 * Says whether the time of a refusal tells one kind of wrong token from another: many verifications of each pair of kinds
 * in random order, the difference of their medians, and how often chance alone makes one as large (permutation test).
 * `node bench/token-timing.ts [verifications of each kind]`
 */
const SAMPLES = Number(process.argv[2] ?? 3_000);
const PERMUTATIONS = 1_000;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const deployment = await emulateDeployment();
const store = new TokenStore(deployment.registry);
const known = await store.create({ name: 'known', scopes: ['read'] });
const suspended = await store.create({ name: 'suspended', scopes: ['read'] });
await store.setState(suspended.id, 'suspended');
const expired = await store.create({ name: 'expired', scopes: ['read'], expiresIn: -1 });

/** Tokens to send. Unknown ones are new each time. */
const KINDS: Readonly<Record<string, () => string>> = {
  unknown: () => generateToken(),
  'unknown, again': () => generateToken(),
  'begins as a known one': () => startingLike(known.token),
  suspended: () => suspended.token,
  expired: () => expired.token,
  'mistyped (no table is asked)': () => `${known.token.slice(0, -1)}${known.token.endsWith('a') ? 'b' : 'a'}`,
};

try {
  console.log(`${SAMPLES} verifications of each kind, ${PERMUTATIONS} permutations; emulated table on this machine\n`);
  for (const kind of Object.keys(KINDS).slice(1)) await compare('unknown', kind);
} finally {
  await deployment.stop();
}

async function compare(first: string, second: string): Promise<void> {
  const order = shuffled([...Array(SAMPLES).fill(first), ...Array(SAMPLES).fill(second)] as string[]);
  const times: [kind: string, microseconds: number][] = [];
  for (const kind of [...order.slice(0, 400), ...order]) {
    const token = KINDS[kind]?.() ?? '';
    const from = hrtime.bigint();
    await store.verify(token);
    times.push([kind, Number(hrtime.bigint() - from) / 1000]);
  }
  const measured = times.slice(400);
  const of = (wanted: string) => measured.filter(([kind]) => kind === wanted).map(([, time]) => time);
  const [a, b] = [of(first), of(second)];
  const difference = median(b) - median(a);
  const chance = byChance([...a, ...b], a.length, Math.abs(difference));
  const verdict = chance < 0.01 ? 'told apart' : 'not told apart';
  console.log(
    `${first} ${median(a).toFixed(1)} us, ${second} ${median(b).toFixed(1)} us: difference ${difference.toFixed(1)} us, p = ${chance.toFixed(3)}: ${verdict}`,
  );
}

/** How often two groups made at random differ at least so much. */
function byChance(values: readonly number[], split: number, difference: number): number {
  let reached = 0;
  for (let at = 0; at < PERMUTATIONS; at += 1) {
    const mixed = shuffled(values);
    if (Math.abs(median(mixed.slice(0, split)) - median(mixed.slice(split))) >= difference) reached += 1;
  }
  return reached / PERMUTATIONS;
}

/** A well-formed token that shares its first half with another, its checksum made right as a guesser would. */
function startingLike(token: string): string {
  const secret = `${token.slice(3, 24)}${generateToken().slice(24, 46)}`;
  const checksum = createHash('sha256').update(`pq_${secret}`).digest().readUInt32BE(0);
  const digits = Array.from({ length: 6 }, (_, at) => DIGITS[Math.floor(checksum / 62 ** (5 - at)) % 62]);
  const made = `pq_${secret}${digits.join('')}`;
  if (!isWellFormed(made)) throw new Error('the checksum is made in another way now');
  return made;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function shuffled<T>(values: readonly T[]): T[] {
  const mixed = [...values];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
