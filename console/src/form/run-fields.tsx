import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useQuery } from '@tanstack/react-query';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { environmentQuery } from './catalog-choices.ts';

/** The props of a field that a job and its profile can both set. */
interface RunFieldProps {
  /** As typed. */
  readonly value: string;
  readonly error: string | undefined;
  readonly description?: string;
  /** What applies if it is empty. */
  readonly placeholder: string;
  readonly onChange: (value: string) => void;
}

/** A model, with those that the deployment knows as suggestions. */
export function ModelField({ value, error, description, placeholder, onChange }: RunFieldProps) {
  const environment = useQuery(environmentQuery);
  return (
    <FormField label="Model" description={description} errorText={error}>
      <Autosuggest
        value={value}
        clearAriaLabel="Clear"
        placeholder={placeholder}
        enteredTextLabel={(text) => `Use "${text}"`}
        empty="No known models"
        options={(environment.data?.models ?? []).map((model) => ({ value: model }))}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}

/** A timeout, in the deployment's unit. */
export function TimeoutField({ value, error, description, placeholder, onChange }: RunFieldProps) {
  const environment = useQuery(environmentQuery);
  const unit = environment.data?.service.timeout_unit;
  return (
    <FormField label={unit === undefined ? 'Timeout' : `Timeout (${unit})`} description={description} errorText={error}>
      <Input
        inputMode="decimal"
        value={value}
        placeholder={placeholder}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}

/** How often a failed job is tried again. */
export function RetriesField({ value, error, placeholder, onChange }: Omit<RunFieldProps, 'description'>) {
  return (
    <FormField
      label="Retries"
      description={`Additional attempts after a failure, ${LIMITS.retries.min} to ${LIMITS.retries.max}.`}
      errorText={error}
    >
      <Input
        inputMode="numeric"
        value={value}
        placeholder={placeholder}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}
