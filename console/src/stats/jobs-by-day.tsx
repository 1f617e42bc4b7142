import BarChart from '@cloudscape-design/components/bar-chart';
import { EmptyList } from '../tables/empty-list.tsx';
import { CHART_HEIGHT, ChartFrame, dayText } from './chart-frame.tsx';
import type { Day } from './stats-query.ts';

const OUTCOMES = [
  ['succeeded', 'Succeeded', '#2ea597'],
  ['failed', 'Failed', '#c33d69'],
  ['cancelled', 'Cancelled', '#8456ce'],
] as const;

/** Finished jobs per day, by outcome. */
export function JobsByDay({ days }: { days: readonly Day[] }) {
  const most = Math.max(4, ...days.map((day) => day.succeeded + day.failed + day.cancelled));
  const isEmpty = days.every((day) => day.succeeded + day.failed + day.cancelled === 0);
  return (
    <ChartFrame title="Jobs by outcome">
      <BarChart
        stackedBars
        hideFilter
        height={CHART_HEIGHT}
        ariaLabel="Finished jobs by day and outcome"
        xTitle="Day"
        yTitle="Jobs"
        xScaleType="categorical"
        xDomain={days.map(({ day }) => day)}
        yDomain={[0, most]}
        xTickFormatter={dayText}
        yTickFormatter={(count) => (Number.isInteger(count) ? String(count) : '')}
        series={
          isEmpty
            ? []
            : OUTCOMES.map(([outcome, title, color]) => ({
                type: 'bar' as const,
                title,
                color,
                data: days.map((day) => ({ x: day.day, y: day[outcome] })),
              }))
        }
        empty={<EmptyList title="No finished jobs yet">The chart starts with the first finished job.</EmptyList>}
      />
    </ChartFrame>
  );
}
