import Select from '@cloudscape-design/components/select';

interface AttemptSelectProps {
  readonly newest: number;
  readonly selected: number;
  /** Undefined: the newest, also when there is a newer one later. */
  readonly onSelect: (attempt: number | undefined) => void;
  readonly label?: string;
}

/** Chooses whose output is shown. Nothing to choose among fewer than two attempts. */
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
