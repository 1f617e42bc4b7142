import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import type { RetryFrom } from '../../../../lib/contract/job-actions.ts';

interface RetryChoiceProps {
  readonly isPending: boolean;
  readonly onRetry: (from: RetryFrom) => void;
}

/** Retries a job whose agent has a session: from the prompt, or where it stopped. */
export function RetryChoice({ isPending, onRetry }: RetryChoiceProps) {
  return (
    <ButtonDropdown
      ariaLabel="Other ways to retry"
      loading={isPending}
      mainAction={{ text: 'Retry', onClick: () => onRetry('start') }}
      items={[
        {
          id: 'session',
          text: 'Retry where the agent stopped',
          secondaryText: 'It continues its session instead of starting from the prompt.',
        },
      ]}
      onItemClick={() => onRetry('session')}
    />
  );
}
