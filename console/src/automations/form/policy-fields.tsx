import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { useId } from 'react';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { TimeInput } from '../../format/time-input.tsx';
import { MISSED, OVERLAPS } from '../automation-words.ts';
import type { AutomationFormPart } from './automation-fields.ts';

const { jitterSeconds, pauseAfterFailures } = LIMITS.automations;

/** What happens if jobs overlap, instants are missed or jobs fail, and until when it is enabled. */
export function PolicyFields({ fields, errors, onChange }: AutomationFormPart) {
  const untilId = useId();
  return (
    <ColumnLayout columns={3}>
      <FormField label="If its last job has not ended" errorText={errors.overlap}>
        <Select
          selectedOption={OVERLAPS.find(({ value }) => value === fields.overlap) ?? null}
          options={OVERLAPS}
          onChange={({ detail }) =>
            onChange({ overlap: OVERLAPS.find(({ value }) => value === detail.selectedOption.value)?.value ?? 'skip' })
          }
        />
      </FormField>
      <FormField label="Missed runs" description="Those of an outage of the service." errorText={errors.missed}>
        <Select
          selectedOption={MISSED.find(({ value }) => value === fields.missed) ?? null}
          options={MISSED}
          onChange={({ detail }) =>
            onChange({ missed: MISSED.find(({ value }) => value === detail.selectedOption.value)?.value ?? 'latest' })
          }
        />
      </FormField>
      <FormField
        label="Pause after failures in a row"
        description={`0 to ${pauseAfterFailures.max}. 0: never.`}
        errorText={errors.pause_after_failures}
      >
        <Input
          inputMode="numeric"
          value={fields.pause_after_failures}
          placeholder={String(pauseAfterFailures.default)}
          onChange={({ detail }) => onChange({ pause_after_failures: detail.value })}
        />
      </FormField>
      <FormField
        label="Start within (seconds)"
        description={`Spreads many automations, 0 to ${jitterSeconds.max.toLocaleString('en')}.`}
        errorText={errors.jitter}
      >
        <Input
          inputMode="numeric"
          value={fields.jitter}
          placeholder="0"
          onChange={({ detail }) => onChange({ jitter: detail.value })}
        />
      </FormField>
      <FormField label="Enabled until" controlId={untilId} errorText={errors.enabled_until}>
        <TimeInput
          id={untilId}
          value={fields.enabled_until}
          onChange={(text, isWhole) => isWhole && onChange({ enabled_until: text })}
        />
      </FormField>
    </ColumnLayout>
  );
}
