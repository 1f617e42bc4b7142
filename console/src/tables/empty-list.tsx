import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';

interface EmptyListProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** A button or link to a next step. */
  readonly action?: ReactNode;
}

/** The empty state of a list. */
export function EmptyList({ title, children, action }: EmptyListProps) {
  return (
    <Box textAlign="center" padding="l">
      <Box variant="strong">{title}</Box>
      {children && <Box color="text-body-secondary">{children}</Box>}
      {action && <Box margin={{ top: 's' }}>{action}</Box>}
    </Box>
  );
}
