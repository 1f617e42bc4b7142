/** Dollars by which a printed amount may differ from the computed one. */
const TOLERANCE_USD = 0.01;
/** Amounts are printed to a hundredth of a cent; adding this keeps a difference of exactly one cent within the tolerance. */
const ROUNDING_USD = 0.000_01;

const AMOUNT = /\$\d[\d,]*(?:\.\d+)?/g;
const NUMBER = /\d[\d,]*(?:\.\d+)?/g;

/**
 * Compares a kept cost document with the computed one. A line without an amount of money has to be the same. On a line with
 * amounts each may have moved by a cent, and its other numbers, from which they follow, by anything.
 * @returns the computed lines that the kept document no longer has; one entry too if a line is absent at its end
 */
export function driftedLines(kept: string, computed: string): string[] {
  const [old, current] = [kept.split('\n'), computed.split('\n')];
  const length = Math.max(old.length, current.length);
  return Array.from({ length }, (_, at) => at)
    .filter((at) => !isSame(old[at], current[at]))
    .map((at) => current[at] ?? '');
}

function isSame(kept: string | undefined, computed: string | undefined): boolean {
  if (kept === computed) return true;
  if (kept === undefined || computed === undefined || wordsOf(kept) !== wordsOf(computed)) return false;
  const [before, after] = [amountsOf(kept), amountsOf(computed)];
  return (
    after.length > 0 &&
    after.every((amount, at) => Math.abs(amount - (before[at] ?? Number.NaN)) <= TOLERANCE_USD + ROUNDING_USD)
  );
}

function wordsOf(line: string): string {
  return line.replaceAll(NUMBER, '#');
}

function amountsOf(line: string): number[] {
  return [...line.matchAll(AMOUNT)].map(([amount]) => Number(amount.slice(1).replaceAll(',', '')));
}
