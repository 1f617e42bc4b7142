import { vi } from 'vitest';

/** A line of JSON that a function or worker has printed. */
export type PrintedLine = Readonly<Record<string, unknown>>;

/** Parses each line as JSON; returns any other line as `{ text }`. */
export function readLines(text: string): PrintedLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      try {
        return JSON.parse(line) as PrintedLine;
      } catch {
        return { text: line };
      }
    });
}

/** Runs a function and returns what this process printed meanwhile, which then appears nowhere else. */
export async function printedBy<T>(run: () => Promise<T>): Promise<{ lines: PrintedLine[]; result: T }> {
  let text = '';
  const take = (chunk: Uint8Array | string): boolean => {
    text += Buffer.from(chunk as string).toString();
    return true;
  };
  const spies = [process.stdout, process.stderr].map((out) => vi.spyOn(out, 'write').mockImplementation(take));
  try {
    const result = await run();
    return { result, lines: readLines(text) };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** The values of metrics among lines, by name; single values as lists of one. */
export function metricsIn(lines: readonly PrintedLine[]): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const line of lines) {
    const { _aws: head } = line as { _aws?: { CloudWatchMetrics: [{ Metrics: { Name: string }[] }] } };
    for (const { Name } of head?.CloudWatchMetrics[0].Metrics ?? [])
      found[Name] = [...(found[Name] ?? []), ...[line[Name] as number | number[]].flat()];
  }
  return found;
}
