import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import Textarea from '@cloudscape-design/components/textarea';
import { textOfValue } from '../../../../lib/contract/templates/parameter-values.ts';
import type { TemplateParameter } from '../template-queries.ts';

interface ParameterFieldProps {
  readonly parameter: TemplateParameter;
  /** As typed; empty: not given. */
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** The field of a template's parameter, by its type. */
export function ParameterField({ parameter, value, error, onChange }: ParameterFieldProps) {
  const { name, description, required, pattern, example, default: usual } = parameter;
  // A list shows its default itself.
  const isChosen = parameter.type === 'enum' || parameter.type === 'boolean';
  const hints = [
    ...(example === undefined ? [] : [`Example: ${textOfValue(example)}`]),
    ...(pattern === null ? [] : [`Matches ${pattern}`]),
    ...(usual === undefined || isChosen ? [] : [`Default: ${textOfValue(usual)}`]),
  ];
  return (
    <FormField
      label={
        <>
          {name} {!required && <i>- optional</i>}
        </>
      }
      description={description ?? undefined}
      constraintText={hints.length === 0 ? undefined : `${hints.join('. ')}.`}
      stretch={parameter.type === 'text'}
      errorText={error}
    >
      <Control parameter={parameter} value={value} onChange={onChange} />
    </FormField>
  );
}

const BOOLEANS = ['true', 'false'];

function Control({ parameter, value, onChange }: Omit<ParameterFieldProps, 'error'>) {
  const { type, values, default: usual } = parameter;
  if (type === 'enum' || type === 'boolean') {
    const none = { value: '', label: usual === undefined ? 'No value' : `${textOfValue(usual)} (default)` };
    const options = [none, ...(values ?? BOOLEANS).map((one) => ({ value: one, label: one }))];
    return (
      <Select
        selectedOption={options.find((option) => option.value === value) ?? none}
        options={options}
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
      />
    );
  }
  const placeholder = usual === undefined ? '' : textOfValue(usual);
  if (type === 'text')
    return (
      <Textarea rows={5} value={value} placeholder={placeholder} onChange={({ detail }) => onChange(detail.value)} />
    );
  return (
    <Input
      inputMode={type === 'number' ? 'decimal' : 'text'}
      value={value}
      placeholder={placeholder}
      onChange={({ detail }) => onChange(detail.value)}
    />
  );
}
