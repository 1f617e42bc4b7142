import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { ChoiceField } from '../../form/choice-field.tsx';
import { JobForm } from '../../jobs/form/job-form.tsx';
import type { Template } from '../../templates/template-queries.ts';
import type { Automation } from '../automation-queries.ts';
import { EventFields } from '../event/event-fields.tsx';
import { HookFields } from '../hook/hook-fields.tsx';
import type { AutomationFormPart } from './automation-fields.ts';
import { PolicyFields } from './policy-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { TemplateField, TemplateJob } from './template-job.tsx';

const TRIGGERS = [
  { value: 'schedule', label: 'By schedule' },
  { value: 'hook', label: 'When another service posts to it (hook)' },
  { value: 'event', label: 'When something happens to a job' },
] as const;

interface AutomationFormProps extends AutomationFormPart {
  /** The one that is edited; undefined: a new one. */
  readonly stored: Automation | undefined;
  /** The chosen template, once it is known. */
  readonly template: Template | undefined;
}

/** The form of an automation: its schedule, its job, and what it does when something is not as usual. */
export function AutomationForm({ stored, template, ...part }: AutomationFormProps) {
  const { fields, errors, onChange } = part;
  return (
    <SpaceBetween size="m">
      <Container header={<Header variant="h2">Automation</Header>}>
        <SpaceBetween size="m">
          {stored === undefined && (
            <FormField label="Name" description="It cannot be changed later." errorText={errors.name}>
              <Input
                autoFocus
                value={fields.name}
                placeholder="Nightly update"
                onChange={({ detail }) => onChange({ name: detail.value })}
              />
            </FormField>
          )}
          {stored === undefined && (
            <ChoiceField
              label="Starts jobs"
              value={fields.by}
              direction="horizontal"
              choices={TRIGGERS}
              // Deliveries that come while a job runs are to wait, not to vanish.
              onChange={(by) => onChange({ by, overlap: by === 'schedule' ? 'skip' : 'queue' })}
            />
          )}
          {fields.by === 'schedule' && <ScheduleFields {...part} stored={stored} />}
          {fields.by === 'hook' && (
            <HookFields
              hook={fields.hook}
              errors={errors}
              onChange={(change) => onChange({ hook: { ...fields.hook, ...change } })}
            />
          )}
          {fields.by === 'event' && (
            <EventFields
              event={fields.event}
              errors={errors}
              onChange={(change) => onChange({ event: { ...fields.event, ...change } })}
            />
          )}
          <TemplateField {...part} />
        </SpaceBetween>
      </Container>
      {fields.template === '' ? (
        <JobForm
          editing
          withProject
          fields={fields.job}
          errors={errors}
          onChange={(change) => onChange({ job: { ...fields.job, ...change } })}
        />
      ) : (
        <TemplateJob {...part} template={template} />
      )}
      <ExpandableSection
        variant="container"
        headerText="Overlaps, missed runs, failures, end"
        defaultExpanded={stored !== undefined}
      >
        <PolicyFields {...part} />
      </ExpandableSection>
    </SpaceBetween>
  );
}
