import Box from '@cloudscape-design/components/box';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Automation, previewQuery } from '../automation-queries.ts';
import { SCHEDULES } from '../automation-words.ts';
import { NextRuns } from '../next-runs.tsx';
import { type AutomationFormPart, CRON, EVERY, scheduleOf } from './automation-fields.ts';
import { ZoneField } from './zone-field.tsx';

const CHOICES = [
  ...SCHEDULES,
  { value: EVERY, label: 'At an interval' },
  { value: CRON, label: 'Another cron expression' },
];

/** Pause in typing (ms) before the next instants are asked for. */
const PAUSE_MS = 300;

interface ScheduleFieldsProps extends AutomationFormPart {
  /** The stored automation, whose next instants are known as long as its schedule stays. */
  readonly stored: Automation | undefined;
}

/** When an automation is due, with its next instants. */
export function ScheduleFields({ fields, errors, onChange, stored }: ScheduleFieldsProps) {
  const { when, cron, every } = fields;
  return (
    <SpaceBetween size="m">
      <ColumnLayout columns={when === CRON || when === EVERY ? 3 : 2}>
        <FormField label="Schedule">
          <Select
            selectedOption={CHOICES.find(({ value }) => value === when) ?? null}
            options={CHOICES}
            onChange={({ detail }) => onChange({ when: detail.selectedOption.value ?? when })}
          />
        </FormField>
        {when === CRON && (
          <FormField label="Cron expression" description="Minute, hour, day, month, weekday." errorText={errors.cron}>
            <Input value={cron} spellcheck={false} onChange={({ detail }) => onChange({ cron: detail.value })} />
          </FormField>
        )}
        {when === EVERY && (
          <FormField label="Interval" description="Such as 30m, 6h or 2d." errorText={errors.every}>
            <Input value={every} spellcheck={false} onChange={({ detail }) => onChange({ every: detail.value })} />
          </FormField>
        )}
        <ZoneField value={fields.timezone} error={errors.timezone} onChange={(timezone) => onChange({ timezone })} />
      </ColumnLayout>
      <Preview fields={fields} stored={stored} />
    </SpaceBetween>
  );
}

/** The next five instants. A schedule is previewed before there is a name or a prompt. */
function Preview({ fields, stored }: Pick<ScheduleFieldsProps, 'fields' | 'stored'>) {
  const { cron = null, every = null, timezone } = { cron: undefined, every: undefined, ...scheduleOf(fields) };
  const known = stored?.trigger.schedule;
  const isStored = known?.cron === cron && known.every === every && known.timezone === timezone;
  const schedule = useSettled(JSON.stringify(scheduleOf(fields)));
  const preview = useQuery({
    ...previewQuery({ name: 'preview', job: { prompt: 'true' }, trigger: { schedule: JSON.parse(schedule) } }),
    enabled: !isStored,
    placeholderData: keepPreviousData,
  });
  const shown = isStored ? stored : preview.data;
  return (
    <div aria-live="polite">
      <Box variant="awsui-key-label">Next runs</Box>
      {preview.error && !isStored ? (
        <StatusIndicator type="error">{preview.error.message}</StatusIndicator>
      ) : (
        shown && <NextRuns automation={shown} />
      )}
    </div>
  );
}

/** A text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
