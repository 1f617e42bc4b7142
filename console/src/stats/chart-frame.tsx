import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import type { ReactNode } from 'react';

/** Height (px) of a chart's plot area. */
export const CHART_HEIGHT = 220;

/** The frame of a chart. */
export function ChartFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Container fitHeight header={<Header variant="h2">{title}</Header>}>
      {children}
    </Container>
  );
}

/** A day of the API, `2026-11-20`, as a short label of a chart's axis. */
export function dayText(day: string): string {
  return new Date(day).toLocaleDateString('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
