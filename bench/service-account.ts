import { tmpdir } from 'node:os';
import { endTree, spawnTree } from '../worker-container/commands/process-tree.ts';
import { type ServiceAccount, serviceAccounts } from '../worker-container/service-accounts/service-account.ts';

/**
 * Cost of starting a process under a separate account, and of ending all processes of the account: `npm run bench -- account`,
 * as root. Both kinds by turns, so that what else the machine does meets both.
 */
const RUNS = 60;
/** A user id that no account has. */
const FIRST_UID = 1_900_000_000;

const kinds = [
  { name: "as the worker's user", account: undefined },
  { name: 'under an account', account: serviceAccounts(FIRST_UID, [1])?.slots[0] },
].map((kind) => ({ ...kind, start: [] as number[], end: [] as number[] }));
for (let run = 0; run < RUNS; run += 1) {
  for (const { account, start, end } of kinds) {
    const taken = await once(account, `bench/${run}`);
    start.push(taken.start);
    end.push(taken.end);
  }
}
for (const { name, start, end } of kinds)
  console.log(`${name}: start ${shown(start)}; end, including the check that nothing is left, ${shown(end)}`);

async function once(own: ServiceAccount | undefined, mark: string): Promise<{ start: number; end: number }> {
  const began = performance.now();
  const options = { command: '/bin/true', args: [], env: {}, cwd: tmpdir(), stdin: '', mark, account: own };
  const child = await spawnTree(options);
  await child.exited;
  const ended = performance.now();
  await endTree({ child, mark, politeSignal: 'SIGTERM', kill: true });
  for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
  return { start: ended - began, end: performance.now() - ended };
}

function shown(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}
