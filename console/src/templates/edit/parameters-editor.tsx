import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { PARAMETER_TYPES } from '../../../../lib/contract/templates/parameter-values.ts';
import type { EntryFormPart } from '../../catalog/edit/entry-kind.ts';
import { NO_PARAMETER, type ParameterFields, type TemplateFields } from './template-kind.ts';

const TYPE_WORDS: Readonly<Record<ParameterFields['type'], string>> = {
  string: 'One line',
  text: 'Lines of text',
  number: 'Number',
  boolean: 'True or false',
  enum: 'One of a list',
};
const TYPES = PARAMETER_TYPES.map((value) => ({ value, label: TYPE_WORDS[value], description: value }));

/** The parameters of a template, in the order of its form. */
export function ParametersEditor({ fields, errors, onChange }: EntryFormPart<TemplateFields>) {
  const { parameters } = fields;
  const change = (next: readonly ParameterFields[]) => onChange({ parameters: next });
  const move = (from: number, by: number) => {
    const next = [...parameters];
    next.splice(from + by, 0, ...next.splice(from, 1));
    change(next);
  };
  return (
    <SpaceBetween size="s">
      <Header
        variant="h3"
        headingTagOverride="h2"
        description="The form of a job has a field for each, in this order. A value is data: braces and markup in it have no meaning."
      >
        Parameters
      </Header>
      {errors.parameters !== undefined && <Box color="text-status-error">{errors.parameters}</Box>}
      {parameters.map((parameter, at) => (
        <ParameterCard
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is being typed
          key={at}
          parameter={parameter}
          title={parameter.name.trim() || `Parameter ${at + 1}`}
          error={errors[`parameters.${at}`]}
          onChange={(changed) => change(parameters.map((one, row) => (row === at ? { ...one, ...changed } : one)))}
          onRemove={() => change(parameters.filter((_, row) => row !== at))}
          onUp={at === 0 ? undefined : () => move(at, -1)}
          onDown={at === parameters.length - 1 ? undefined : () => move(at, 1)}
        />
      ))}
      <Button
        iconName="add-plus"
        disabled={parameters.length >= LIMITS.templates.parameters}
        onClick={() => change([...parameters, NO_PARAMETER])}
      >
        Add parameter
      </Button>
    </SpaceBetween>
  );
}

interface ParameterCardProps {
  readonly parameter: ParameterFields;
  readonly title: string;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<ParameterFields>) => void;
  readonly onRemove: () => void;
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
}

function ParameterCard(props: ParameterCardProps) {
  const { parameter, title, error, onChange, onRemove, onUp, onDown } = props;
  return (
    <Container
      header={
        <Header
          variant="h3"
          actions={
            <SpaceBetween size="xs" direction="horizontal">
              <Button
                variant="icon"
                iconName="angle-up"
                ariaLabel={`Move ${title} up`}
                disabled={!onUp}
                onClick={onUp}
              />
              <Button
                variant="icon"
                iconName="angle-down"
                ariaLabel={`Move ${title} down`}
                disabled={!onDown}
                onClick={onDown}
              />
              <Button variant="icon" iconName="remove" ariaLabel={`Remove ${title}`} onClick={onRemove} />
            </SpaceBetween>
          }
        >
          {title}
        </Header>
      }
    >
      <ParameterInputs parameter={parameter} error={error} onChange={onChange} />
    </Container>
  );
}

type InputsProps = Pick<ParameterCardProps, 'parameter' | 'error' | 'onChange'>;

function ParameterInputs({ parameter, error, onChange }: InputsProps) {
  const { type } = parameter;
  return (
    <SpaceBetween size="s">
      <ColumnLayout columns={3}>
        <FormField label="Name" constraintText="a-z, 0-9 and _, such as package." errorText={error}>
          <Input
            value={parameter.name}
            spellcheck={false}
            autoComplete={false}
            onChange={({ detail }) => onChange({ name: detail.value })}
          />
        </FormField>
        <FormField label="Type">
          <Select
            selectedOption={TYPES.find(({ value }) => value === type) ?? null}
            options={TYPES}
            onChange={({ detail }) =>
              onChange({ type: PARAMETER_TYPES.find((known) => known === detail.selectedOption.value) ?? type })
            }
          />
        </FormField>
        <FormField label="Default" description="Without one, each job needs a value.">
          <Input value={parameter.default} onChange={({ detail }) => onChange({ default: detail.value })} />
        </FormField>
        <FormField label="Description" description="Shown with the field.">
          <Input value={parameter.description} onChange={({ detail }) => onChange({ description: detail.value })} />
        </FormField>
        <FormField label="Example" description="Shown below the field.">
          <Input value={parameter.example} onChange={({ detail }) => onChange({ example: detail.value })} />
        </FormField>
        {type === 'string' && (
          <FormField label="Pattern" description="A regular expression for all of the value.">
            <Input
              value={parameter.pattern}
              placeholder="None"
              spellcheck={false}
              onChange={({ detail }) => onChange({ pattern: detail.value })}
            />
          </FormField>
        )}
        {type === 'enum' && (
          <FormField label="Values" description="One per line.">
            <Textarea rows={3} value={parameter.values} onChange={({ detail }) => onChange({ values: detail.value })} />
          </FormField>
        )}
      </ColumnLayout>
      <Checkbox
        checked={!parameter.required}
        disabled={parameter.default !== ''}
        onChange={({ detail }) => onChange({ required: !detail.checked })}
      >
        Optional: without a value, its placeholders are empty
      </Checkbox>
    </SpaceBetween>
  );
}
