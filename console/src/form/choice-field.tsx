import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';

interface ChoiceFieldProps<Value extends string> {
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly label: string; readonly description?: string }[];
  readonly direction?: 'horizontal';
  readonly onChange: (value: Value) => void;
}

/** One value out of a few. */
export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { label, description, error, value, choices, direction, onChange } = props;
  return (
    <FormField label={label} description={description} errorText={error}>
      <RadioGroup
        value={value}
        {...(direction && { direction })}
        items={choices}
        onChange={({ detail }) => onChange(choices.find((each) => each.value === detail.value)?.value ?? value)}
      />
    </FormField>
  );
}
