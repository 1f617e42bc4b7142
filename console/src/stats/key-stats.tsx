import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { duration } from '../format/duration.ts';
import type { Stats } from './stats-query.ts';

/** The key figures. */
export function KeyStats({ stats }: { stats: Stats }) {
  const { jobs, tokens } = stats;
  const { success_rate, succeeded, failed, cancelled, queue_wait_ms, duration_ms } = jobs.last_30_days;
  const ended = succeeded + failed + cancelled;
  const { input_tokens, output_tokens, cost_usd } = tokens.last_30_days;
  const items = [
    ['Finished jobs', ended.toLocaleString('en')],
    ['Success rate', success_rate === null ? '-' : `${(success_rate * 100).toFixed(success_rate === 1 ? 0 : 1)} %`],
    ['Median wait (p50)', time(queue_wait_ms.p50)],
    ['Median run time (p50)', time(duration_ms.p50)],
    ['Waiting or running now', (jobs.by_status.QUEUED + jobs.by_status.RUNNING).toLocaleString('en')],
    ['Input tokens', compact(input_tokens)],
    ['Output tokens', compact(output_tokens)],
    ['Reported cost', cost_usd === 0 ? '-' : `$${cost_usd.toFixed(2)}`],
  ] as const;
  return (
    <Container>
      <KeyValuePairs
        columns={4}
        items={items.map(([label, value]) => ({ label, value: <Box variant="awsui-value-large">{value}</Box> }))}
      />
    </Container>
  );
}

function time(ms: number | null): string {
  return ms === null ? '-' : duration(ms);
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1.2M` */
export function compact(value: number): string {
  return COMPACT.format(value);
}
