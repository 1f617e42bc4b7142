import type { EventPattern, PatternValue } from '../../stats/counting/stream-filter.ts';

/** Whether Lambda would pass an event on under one of these patterns, as far as this project uses them. */
export function matchesAny(patterns: readonly EventPattern[], event: object): boolean {
  return patterns.some((pattern) => matches(pattern, event));
}

function matches(pattern: EventPattern, event: unknown): boolean {
  const members = isObject(event) ? event : {};
  return Object.entries(pattern).every(([name, wanted]) =>
    isList(wanted) ? wanted.some((value) => isMatch(value, members[name])) : matches(wanted, members[name]),
  );
}

function isMatch(wanted: PatternValue, actual: unknown): boolean {
  if ('exists' in wanted) return wanted.exists === (actual !== undefined);
  return typeof actual === 'string' && !wanted['anything-but'].includes(actual);
}

function isList(wanted: EventPattern | readonly PatternValue[]): wanted is readonly PatternValue[] {
  return Array.isArray(wanted);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
