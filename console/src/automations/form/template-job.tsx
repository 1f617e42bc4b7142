import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { templatesQuery } from '../../form/catalog-choices.ts';
import { SettingsFields } from '../../jobs/form/settings-fields.tsx';
import { WhereFields } from '../../jobs/form/where-fields.tsx';
import { ParameterField } from '../../templates/run/parameter-field.tsx';
import type { Template } from '../../templates/template-queries.ts';
import type { AutomationFormPart } from './automation-fields.ts';

const NONE = { value: '', label: 'No template: write a prompt' };

/** Whether the jobs are created from a template, and from which. Not shown if there is none. */
export function TemplateField({ fields, errors, onChange }: AutomationFormPart) {
  const { data: templates = [] } = useQuery(templatesQuery);
  if (templates.length === 0 && fields.template === '') return null;
  const options = [
    NONE,
    ...templates.map(({ name, description }) => ({ value: name, label: name, description: description ?? undefined })),
  ];
  return (
    <FormField label="Template" errorText={errors.template}>
      <Select
        filteringType="auto"
        filteringAriaLabel="Find a template"
        selectedOption={
          options.find(({ value }) => value === fields.template) ?? { value: fields.template, label: fields.template }
        }
        options={options}
        onChange={({ detail }) => onChange({ template: detail.selectedOption.value ?? '', template_version: '' })}
      />
    </FormField>
  );
}

/** The job of a template: its values, and settings that replace those of the template. */
export function TemplateJob({ template, ...part }: AutomationFormPart & { template: Template | undefined }) {
  const { fields, errors, onChange } = part;
  const change = (changed: Partial<typeof fields.job>) => onChange({ job: { ...fields.job, ...changed } });
  return (
    <>
      <Container
        header={
          <Header
            variant="h2"
            description={'Texts can have {{due_at}}, {{last_success_at}} and {{timezone}}, which each run replaces.'}
          >
            Parameters
          </Header>
        }
      >
        <SpaceBetween size="m">
          {template?.parameters.length === 0 && <Box color="text-body-secondary">The template has no parameters.</Box>}
          {errors.parameters !== undefined && <Box color="text-status-error">{errors.parameters}</Box>}
          {template?.parameters.map((parameter) => (
            <ParameterField
              key={parameter.name}
              parameter={parameter}
              value={fields.values[parameter.name] ?? ''}
              error={errors[`parameters.${parameter.name}`]}
              onChange={(value) => onChange({ values: { ...fields.values, [parameter.name]: value } })}
            />
          ))}
        </SpaceBetween>
      </Container>
      <Container
        header={
          <Header variant="h2" description="Empty fields have what the template says when a job is created.">
            Settings
          </Header>
        }
      >
        <SpaceBetween size="m">
          <FormField label="Version of the template" errorText={errors.template_version}>
            <Input
              inputMode="numeric"
              value={fields.template_version}
              placeholder="The newest at each run"
              onChange={({ detail }) => onChange({ template_version: detail.value })}
            />
          </FormField>
          <WhereFields fields={fields.job} errors={errors} onChange={change} withProject />
          <SettingsFields fields={fields.job} errors={errors} onChange={change} />
        </SpaceBetween>
      </Container>
    </>
  );
}
