import { RUN_REASONS, type RunReason } from '../contract/schemas/automation.ts';
import type { SubjectEvent } from '../platform/event-rows.ts';
import { projectIdOf } from '../projects/projects.ts';
import type { Automation, Run } from './automation.ts';

/** Reasons to skip that are no news: a person has just caused them, or the pause is an event itself. */
const SILENT: ReadonlySet<string> = new Set<RunReason | 'disabled'>([
  'edited',
  'disabled',
  'paused_failures',
  'paused_owner',
]);

/**
 * The events that a change of an automation is.
 * @param change.run the run that is recorded with it
 * @param change.isLate the run is the first one that was evaluated late, of those that one pass evaluates
 */
export function eventsOfAutomation(
  known: Automation | undefined,
  written: Automation,
  { run, isLate = false }: { readonly run?: Run | undefined; readonly isLate?: boolean | undefined },
): SubjectEvent[] {
  const { id, name, project, paused } = written;
  const tell = (type: SubjectEvent['type'], time: string, reason: string | null, why: string | null): SubjectEvent => ({
    ...{ type, time, reason, automation: id, project, project_id: projectIdOf(project) },
    subject: { kind: 'automation', id, name, why },
  });
  const events: SubjectEvent[] = [];
  if (paused !== undefined && known?.paused === undefined)
    events.push(tell('automation.paused', paused.at, paused.reason, sentenceOf(`paused_${paused.reason}`)));
  if (run === undefined) return events;
  const { outcome, reason, error, at, late_seconds: late } = run;
  if (outcome === 'failed') {
    const why = [sentenceOf(reason) ?? [], error ?? []].flat().join(' ');
    events.push(tell('automation.failed', at, reason ?? null, why));
  }
  if (outcome === 'skipped' && !SILENT.has(reason ?? ''))
    events.push(tell('automation.skipped', at, reason ?? null, sentenceOf(reason)));
  if (isLate) events.push(tell('automation.late', at, null, `It was evaluated ${late} seconds after its time.`));
  return events;
}

function sentenceOf(reason: string | undefined): string | null {
  return reason !== undefined && Object.hasOwn(RUN_REASONS, reason) ? RUN_REASONS[reason as RunReason] : null;
}
