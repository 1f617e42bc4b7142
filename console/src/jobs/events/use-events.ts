import { useEffect, useMemo, useState } from 'react';
import type { LogSink } from '../output/use-log.ts';
import type { TimelineEvent } from './agent-event.ts';
import { createEventReader } from './event-reader.ts';
import type { LiveEdge } from './live-edge.ts';

/** How often the page is updated while output arrives. */
const UPDATE_INTERVAL_MS = 150;

/**
 * Reads a log's pieces into events.
 * @param fromMiddle whether the log is read from somewhere after its first byte
 * @param edge from where on the time of arrival is the time of the event; null: nowhere
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
