import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import { useSearchParams } from 'react-router';
import { exactTime } from '../format/time-preference.ts';

interface VersionFieldsProps {
  readonly versions: readonly { readonly version: number; readonly updated_at: string }[];
  readonly shown: number;
  readonly compared: number | undefined;
}

const NONE = { value: '', label: 'No comparison' };

/** Chooses the version to show, and the one to compare it with. Both are part of the address. */
export function VersionFields({ versions, shown, compared }: VersionFieldsProps) {
  const [parameters, setParameters] = useSearchParams();
  const options = versions.map(({ version, updated_at }) => ({
    value: String(version),
    label: `Version ${version}`,
    description: exactTime(updated_at),
  }));
  const optionOf = (version: number) =>
    options.find(({ value }) => value === String(version)) ?? { value: String(version), label: `Version ${version}` };
  const choose = (name: string, value: string | undefined) => {
    const next = new URLSearchParams(parameters);
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
    setParameters(next);
  };
  return (
    <ColumnLayout columns={2}>
      <FormField label="Version">
        <Select
          selectedOption={optionOf(shown)}
          options={options}
          onChange={({ detail }) => choose('version', detail.selectedOption.value)}
        />
      </FormField>
      <FormField label="Compare with">
        <Select
          selectedOption={compared === undefined ? NONE : optionOf(compared)}
          options={[NONE, ...options.filter(({ value }) => value !== String(shown))]}
          onChange={({ detail }) => choose('with', detail.selectedOption.value)}
        />
      </FormField>
    </ColumnLayout>
  );
}
