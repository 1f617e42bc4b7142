import type { StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { Automation } from './automation-queries.ts';
import { eventText } from './event/event-values.ts';

/** The states of an automation. */
export const STATES: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  active: ['success', 'Active'],
  paused: ['warning', 'Paused'],
  disabled: ['stopped', 'Disabled'],
  ended: ['info', 'Ended'],
};

/** A choice of the form. */
interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

export const OVERLAPS = [
  { value: 'skip', label: 'Skip the new run' },
  { value: 'queue', label: 'Let the new job wait' },
  { value: 'replace', label: 'Cancel the old job' },
] as const satisfies readonly Choice<Automation['overlap']>[];

export const MISSED = [
  { value: 'latest', label: 'Make up for the last one' },
  { value: 'all', label: `Make up for up to ${LIMITS.automations.catchUp}, one after the other` },
  { value: 'skip', label: 'Skip them' },
] as const satisfies readonly Choice<Automation['missed']>[];

/** Expressions that the form offers by name. */
export const SCHEDULES = [
  { value: '0 3 * * *', label: 'Every night at 3:00' },
  { value: '0 3 * * MON-FRI', label: 'On weekdays at 3:00' },
  { value: '0 9 * * MON', label: 'On Mondays at 9:00' },
  { value: '0 * * * *', label: 'Every hour' },
] as const satisfies readonly Choice<string>[];

/** A schedule as people read it. */
export function scheduleText({ trigger }: Pick<Automation, 'trigger'>): string {
  if (trigger.event !== null) return eventText(trigger.event);
  if (trigger.schedule === null) return 'By a hook';
  const { cron, every, timezone } = trigger.schedule;
  if (every !== null) return `Every ${every}`;
  const known = SCHEDULES.find(({ value }) => value === cron);
  return `${known?.label ?? cron ?? ''}, ${timezone}`;
}
