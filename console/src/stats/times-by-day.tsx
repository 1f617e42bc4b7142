import BarChart from '@cloudscape-design/components/bar-chart';
import { duration } from '../format/duration.ts';
import { EmptyList } from '../tables/empty-list.tsx';
import { CHART_HEIGHT, ChartFrame, dayText } from './chart-frame.tsx';
import type { Day } from './stats-query.ts';

interface TimesByDayProps {
  readonly title: string;
  readonly days: readonly Day[];
  readonly of: (day: Day) => Day['queue_wait_ms'];
}

const SHARES = [
  ['p50', 'Median (p50)', '#688ae8'],
  ['p95', '95th percentile (p95)', '#c33d69'],
] as const;

/** A duration per day: its median and its 95th percentile. */
export function TimesByDay({ title, days, of }: TimesByDayProps) {
  const longest = Math.max(1_000, ...days.map((day) => of(day).p95 ?? 0));
  const hasAny = days.some((day) => of(day).count > 0);
  return (
    <ChartFrame title={title}>
      <BarChart
        hideFilter
        height={CHART_HEIGHT}
        ariaLabel={`${title} by day`}
        xTitle="Day"
        yTitle="Time"
        xScaleType="categorical"
        xDomain={days.map(({ day }) => day)}
        yDomain={[0, longest]}
        xTickFormatter={dayText}
        yTickFormatter={duration}
        series={SHARES.flatMap(([share, name, color]) => {
          const data = days.map((day) => ({ x: day.day, y: of(day)[share] ?? 0 }));
          return hasAny ? [{ type: 'bar' as const, title: name, color, data, valueFormatter: duration }] : [];
        })}
        empty={<EmptyList title="No finished jobs yet" />}
      />
    </ChartFrame>
  );
}
