import { counted, type Finding, type State, worst } from './finding.ts';

const MARKS: Readonly<Record<State, string>> = { ok: 'ok      ', warning: 'WARNING ', fault: 'FAULT   ' };

/** For people: one line per finding, its advice below, and a summary at the end. */
export function textReport(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, state, message, advice }) => [
    `${MARKS[state]}${check.padEnd(width)}  ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(MARKS.ok.length + width)}  -> ${advice}`]),
  ]);
  const count = (state: State) => findings.filter((finding) => finding.state === state).length;
  const warnings = counted(count('warning'), 'warning');
  return [...lines, '', `${count('ok')} ok, ${warnings}, ${counted(count('fault'), 'fault')}`].join('\n');
}

/** For programs: one line of JSON. */
export function jsonReport(findings: readonly Finding[]): string {
  return JSON.stringify({ state: worst(findings), findings });
}
