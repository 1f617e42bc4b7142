import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import { useQuery } from '@tanstack/react-query';
import { tokensQuery } from './token-queries.ts';

interface ReplacedTokenProps {
  readonly id: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** Selects the token that a new one replaces. */
export function ReplacedToken({ id = '', onChange }: ReplacedTokenProps) {
  const tokens = useQuery(tokensQuery);
  const options = [
    { value: '', label: 'No token' },
    ...(tokens.data?.items ?? []).map((token) => ({ value: token.id, label: token.name, description: token.id })),
  ];
  return (
    <FormField
      label="Replaces"
      description="Requests that repeat an idempotency key of that token find the same job. Revoke it once its program uses the new one."
    >
      <Select
        expandToViewport
        selectedOption={options.find(({ value }) => value === id) ?? null}
        options={options}
        onChange={({ detail }) => onChange(detail.selectedOption.value || undefined)}
      />
    </FormField>
  );
}
