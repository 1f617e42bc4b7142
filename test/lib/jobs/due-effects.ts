import type { Effect, EffectName } from '../../../lib/jobs/lifecycle/effect.ts';

/** The effects of a job that ended long ago: those of attempts, by attempt, and those of its end. */
export function due(effects: Readonly<Partial<Record<EffectName, readonly number[] | 'end'>>>): Effect[] {
  const since = '2000-01-01T00:00:00.000Z';
  return Object.entries(effects).flatMap(([name, followed]) =>
    followed === 'end' ? [{ name, since }] : (followed ?? []).map((attempt) => ({ name, attempt, since })),
  );
}
