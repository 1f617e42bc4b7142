import Select from '@cloudscape-design/components/select';

interface AttemptSelectProps {
  readonly newest: number;
  readonly selected: number;
  /** Undefined for the newest attempt, even if a newer one starts later. */
  readonly onSelect: (attempt: number | undefined) => void;
  readonly label?: string;
}

/** Selects the attempt to show. Hidden for fewer than two attempts. */
export function AttemptSelect({ newest, selected, onSelect, label = 'Attempt' }: AttemptSelectProps) {
  if (newest < 2) return null;
  return (
    <Select
      ariaLabel={label}
      selectedOption={option(selected)}
      options={Array.from({ length: newest }, (_, at) => option(newest - at))}
      onChange={({ detail }) => {
        const attempt = Number(detail.selectedOption.value);
        onSelect(attempt === newest ? undefined : attempt);
      }}
    />
  );
}

const option = (attempt: number) => ({ value: String(attempt), label: `Attempt ${attempt}` });
