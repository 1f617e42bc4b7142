import { FINDING_STATES } from '../contract/finding-states.ts';

export type State = (typeof FINDING_STATES)[number];

/** The result of one check. States other than `ok` come with advice. */
export interface Finding {
  readonly check: string;
  readonly state: State;
  readonly message: string;
  readonly advice?: string;
}

/** Exit codes of the command, by the worst finding. A check that fails to run counts as a fault. */
export const EXIT_CODES: Readonly<Record<State, number>> = { ok: 0, warning: 1, fault: 2 };

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, state: 'warning', message, advice };
}

export function fault(check: string, message: string, advice: string): Finding {
  return { check, state: 'fault', message, advice };
}

/** The worst state; `ok` without findings. */
export function worst(findings: readonly Finding[]): State {
  return FINDING_STATES.findLast((state) => findings.some((finding) => finding.state === state)) ?? 'ok';
}

/** Runs a check; one that throws becomes a fault. */
export async function examine(
  check: string,
  run: () => Promise<Finding | readonly Finding[]>,
  advice: string,
): Promise<readonly Finding[]> {
  try {
    return [await run()].flat();
  } catch (error) {
    return [fault(check, `could not be looked at: ${inWords(error)}`, advice)];
  }
}

/** An error and its causes, in one line. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message === '' ? error.name : error.message.replaceAll(/\s*\n\s*/g, '; ');
  const cause = error.cause === undefined ? '' : inWords(error.cause);
  return own.includes(cause) ? own : `${own} (${cause})`;
}

/** A time span (ms) for people, in the largest suitable unit. */
export function span(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** `1 job`, `2 jobs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
