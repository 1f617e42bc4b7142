import Box from '@cloudscape-design/components/box';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import { TimeAgo } from '../format/time-ago.tsx';
import { adviceFor } from './failure-advice.ts';
import { type Delivery, isBeingSent, type Subscription } from './subscription-queries.ts';

const STATES: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  active: ['success', 'Active'],
  failing: ['error', 'Failing'],
  disabled: ['stopped', 'Paused'],
};

/** The state of a subscription, since when it fails, and who has to do what. */
export function SubscriptionState({ one }: { one: Subscription }) {
  const [type, text] = STATES[one.state] ?? ['info', one.state];
  const advice = one.state_reason === null ? undefined : adviceFor(one.state_reason);
  return (
    <>
      <StatusIndicator type={one.state === 'disabled' && one.state_reason !== null ? 'error' : type}>
        {text}
        {one.failing_since !== null && (
          <>
            {' since '}
            <TimeAgo at={one.failing_since} />
          </>
        )}
      </StatusIndicator>
      {one.state_reason !== null && (
        <Box variant="small" display="block">
          {one.state_reason}
        </Box>
      )}
      {advice !== undefined && <Box display="block">{advice}</Box>}
    </>
  );
}

const DELIVERY_STATES: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  pending: ['pending', 'To be tried again'],
  delivered: ['success', 'Delivered'],
  failed: ['error', 'Failed'],
  dropped: ['error', 'Given up'],
};

/** What became of a delivery, and why. */
export function DeliveryState({ one }: { one: Pick<Delivery, 'state' | 'attempts' | 'error'> }) {
  const [type, text] = isBeingSent(one)
    ? (['in-progress', 'Being sent'] as const)
    : (DELIVERY_STATES[one.state] ?? ['info', one.state]);
  return (
    <>
      <StatusIndicator type={type}>{text}</StatusIndicator>
      {one.error !== null && (
        <Box variant="small" display="block">
          {one.error}
        </Box>
      )}
    </>
  );
}
