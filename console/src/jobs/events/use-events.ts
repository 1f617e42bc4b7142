import { useEffect, useMemo, useState } from 'react';
import type { LogSink } from '../output/use-log.ts';
import { createEventReader } from './event-reader.ts';
import type { LiveEdge } from './live-edge.ts';
import type { TimelineEvent } from './timeline-event.ts';

/** Update interval (ms) while output arrives. */
const UPDATE_INTERVAL_MS = 150;

/**
 * Parses the pieces of a log into events.
 * @param fromMiddle whether the log is read from after its first byte
 * @param edge where the time of arrival becomes the time of the event; null for nowhere
 */
export function useEvents(
  fromMiddle: boolean,
  edge: LiveEdge | null,
): { sink: LogSink; events: readonly TimelineEvent[] } {
  const [events, setEvents] = useState<readonly TimelineEvent[]>([]);
  const byte = edge?.byte;
  const skewMs = edge?.skewMs ?? 0;
  const { sink, stop } = useMemo(
    () =>
      reading(fromMiddle, setEvents, (offset) =>
        byte === undefined || offset < byte ? undefined : Date.now() + skewMs,
      ),
    [fromMiddle, byte, skewMs],
  );
  useEffect(() => stop, [stop]);
  return { sink, events };
}

function reading(
  fromMiddle: boolean,
  onEvents: (events: readonly TimelineEvent[]) => void,
  timeOf: (offset: number) => number | undefined,
) {
  let reader = createEventReader(fromMiddle);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = () => {
    timer = undefined;
    onEvents([...reader.events]);
  };
  const sink: LogSink = {
    onStart: () => {
      reader = createEventReader(fromMiddle);
      onEvents([]);
    },
    onPiece: ({ stream, text, offset }) => {
      if (stream !== 'stdout') return;
      reader.push({ text, offset, at: timeOf(offset) });
      timer ??= setTimeout(update, UPDATE_INTERVAL_MS);
    },
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return { sink, stop };
}
