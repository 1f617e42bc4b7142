import BarChart from '@cloudscape-design/components/bar-chart';
import { EmptyList } from '../tables/empty-list.tsx';
import { CHART_HEIGHT, ChartFrame, dayText } from './chart-frame.tsx';
import { compact } from './key-stats.tsx';
import type { Stats } from './stats-query.ts';

const KINDS = [
  ['input_tokens', 'Input', '#688ae8'],
  ['output_tokens', 'Output', '#e07941'],
] as const;

/** Tokens used per day. */
export function TokensByDay({ days }: { days: Stats['tokens']['by_day'] }) {
  const most = Math.max(10, ...days.map((day) => day.input_tokens + day.output_tokens));
  const isEmpty = days.every((day) => day.input_tokens + day.output_tokens === 0);
  return (
    <ChartFrame title="Tokens by day">
      <BarChart
        stackedBars
        hideFilter
        height={CHART_HEIGHT}
        ariaLabel="Tokens by day"
        xTitle="Day"
        yTitle="Tokens"
        xScaleType="categorical"
        xDomain={days.map(({ day }) => day)}
        yDomain={[0, most]}
        xTickFormatter={dayText}
        yTickFormatter={compact}
        series={
          isEmpty
            ? []
            : KINDS.map(([kind, title, color]) => ({
                type: 'bar' as const,
                title,
                color,
                data: days.map((day) => ({ x: day.day, y: day[kind] })),
                valueFormatter: (value: number) => value.toLocaleString('en'),
              }))
        }
        empty={<EmptyList title="No tokens used yet">Tokens are counted as agents report them.</EmptyList>}
      />
    </ChartFrame>
  );
}
