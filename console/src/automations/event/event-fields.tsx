import Autosuggest from '@cloudscape-design/components/autosuggest';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { automationNamesQuery, profilesQuery, templatesQuery } from '../../form/catalog-choices.ts';
import { ProjectField } from '../../form/project-field.tsx';
import { EVENTS, type EventFields as Fields } from './event-values.ts';

interface EventFieldsProps {
  readonly event: Fields;
  readonly errors: Readonly<Record<string, string | undefined>>;
  readonly onChange: (change: Partial<Fields>) => void;
}

/** The events that start a job, and of which jobs. */
export function EventFields({ event, errors, onChange }: EventFieldsProps) {
  const { data: profiles = [] } = useQuery(profilesQuery);
  const { data: templates = [] } = useQuery(templatesQuery);
  const { data: automations = [] } = useQuery(automationNamesQuery);
  const box = (
    name: 'profile' | 'template' | 'automation',
    label: string,
    options: { value: string; label?: string }[],
  ) => (
    <FormField label={label}>
      <Autosuggest
        value={event[name]}
        clearAriaLabel="Clear"
        placeholder="Any"
        enteredTextLabel={(text) => `Use "${text}"`}
        empty="None yet"
        options={options}
        onChange={({ detail }) => onChange({ [name]: detail.value })}
      />
    </FormField>
  );
  return (
    <SpaceBetween size="m">
      <FormField
        label="Events"
        description={`A chain of jobs that start each other ends after ${LIMITS.automations.eventDepth}. None starts itself in a circle.`}
        errorText={errors.types}
        stretch
      >
        <Multiselect
          placeholder="Choose events"
          deselectAriaLabel={({ label = '' }) => `Remove ${label}`}
          selectedOptions={EVENTS.filter(({ value }) => event.types.includes(value))}
          options={EVENTS}
          onChange={({ detail }) => onChange({ types: detail.selectedOptions.flatMap(({ value }) => value ?? []) })}
        />
      </FormField>
      <ColumnLayout columns={3}>
        <ProjectField
          label="Only of the project"
          placeholder="Any"
          errorText={errors.filter}
          value={event.project}
          onChange={(project) => onChange({ project })}
        />
        {box(
          'profile',
          'Only with the profile',
          profiles.map(({ name }) => ({ value: name })),
        )}
        {box(
          'template',
          'Only of the template',
          templates.map(({ name }) => ({ value: name })),
        )}
        {box(
          'automation',
          'Only of the automation',
          automations.map(({ id, name }) => ({ value: id, label: name })),
        )}
        <FormField label="Only created by">
          <Input
            value={event.creator}
            placeholder="Any"
            onChange={({ detail }) => onChange({ creator: detail.value })}
          />
        </FormField>
      </ColumnLayout>
    </SpaceBetween>
  );
}
