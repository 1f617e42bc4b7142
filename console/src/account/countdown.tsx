import Box from '@cloudscape-design/components/box';
import { useNow } from '../format/time-ago.tsx';

/** How long something still holds, second by second. Not a live region: that would speak all the time. */
export function Countdown({ until }: { until: string }) {
  useNow();
  const left = Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000));
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return (
    <Box color={left < 60 ? 'text-status-warning' : 'text-body-secondary'}>
      {left === 0 ? 'The code has expired.' : `The code holds for another ${clock}.`}
    </Box>
  );
}
