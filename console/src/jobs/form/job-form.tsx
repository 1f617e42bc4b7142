import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { ComposedPreview } from './composed-preview.tsx';
import type { FormPart } from './job-fields.ts';
import { RulesField } from './rules-field.tsx';
import { SettingsFields } from './settings-fields.tsx';
import { WhereFields } from './where-fields.tsx';

interface JobFormProps extends FormPart {
  /** Whether the job exists, which hides the fields that can't be edited. */
  readonly editing?: boolean;
  /** Whether the project can be chosen, as for a new job or a draft. */
  readonly withProject?: boolean;
}

/** The form of a job. */
export function JobForm({ editing = false, withProject = !editing, ...part }: JobFormProps) {
  const { fields, errors, onChange } = part;
  return (
    <SpaceBetween size="m">
      <Container header={<Header variant="h2">Task</Header>}>
        <SpaceBetween size="m">
          <FormField label="Prompt" stretch errorText={errors.prompt}>
            <Textarea
              rows={8}
              autoFocus={!editing}
              value={fields.prompt}
              placeholder="What the agent should do"
              onChange={({ detail }) => onChange({ prompt: detail.value })}
            />
          </FormField>
          <RulesField {...part} />
          <FormField label="Extra prompt" description="Added after the prompt." stretch errorText={errors.extra_prompt}>
            <Textarea
              rows={3}
              value={fields.extra_prompt}
              onChange={({ detail }) => onChange({ extra_prompt: detail.value })}
            />
          </FormField>
          <ComposedPreview fields={fields} />
          <ColumnLayout columns={2}>
            <FormField label="Title" description="Shown instead of the prompt in lists." errorText={errors.title}>
              <Input value={fields.title} onChange={({ detail }) => onChange({ title: detail.value })} />
            </FormField>
            <FormField label="Tags" description="Comma-separated." errorText={errors.tags}>
              <Input value={fields.tags} onChange={({ detail }) => onChange({ tags: detail.value })} />
            </FormField>
          </ColumnLayout>
        </SpaceBetween>
      </Container>
      <Container header={<Header variant="h2">Location</Header>}>
        <WhereFields {...part} withProject={withProject} />
      </Container>
      <Container header={<Header variant="h2">Settings</Header>}>
        <SettingsFields {...part} />
      </Container>
      {!editing && (
        <ExpandableSection
          headerText="For programs"
          variant="container"
          defaultExpanded={fields.idempotency_key !== '' || errors.idempotency_key !== undefined}
        >
          <FormField
            label="Idempotency key"
            description="Prevents duplicates: a second request with the same key returns the existing job."
            errorText={errors.idempotency_key}
          >
            <Input
              value={fields.idempotency_key}
              placeholder="None"
              onChange={({ detail }) => onChange({ idempotency_key: detail.value })}
            />
          </FormField>
        </ExpandableSection>
      )}
    </SpaceBetween>
  );
}
