import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';

const OWN = Intl.DateTimeFormat().resolvedOptions().timeZone;
const USUAL = [...new Set([OWN, 'UTC'])];
const ZONES = [
  ...USUAL.map((value) => ({ value, label: value, ...(value === OWN && { labelTag: 'Your time zone' }) })),
  ...Intl.supportedValuesOf('timeZone')
    .filter((value) => !USUAL.includes(value))
    .map((value) => ({ value, label: value })),
];

interface ZoneFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (zone: string) => void;
}

/** A time zone, that of the reader first. */
export function ZoneField({ value, error, onChange }: ZoneFieldProps) {
  return (
    <FormField label="Time zone" errorText={error}>
      <Select
        filteringType="auto"
        virtualScroll
        filteringAriaLabel="Find a time zone"
        filteringPlaceholder="Find a time zone"
        empty="No such time zone"
        selectedOption={ZONES.find((zone) => zone.value === value) ?? { value, label: value }}
        options={ZONES}
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? value)}
      />
    </FormField>
  );
}
