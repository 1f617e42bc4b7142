import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';

/** Says that a list has nothing, and what to do about it. */
export function EmptyList({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Box textAlign="center" padding="l">
      <Box variant="strong">{title}</Box>
      {children && <Box color="text-body-secondary">{children}</Box>}
    </Box>
  );
}
