import { useEffect, useMemo, useState } from 'react';
import type { LogSink } from '../log/use-log.ts';
import type { AgentEvent } from './agent-event.ts';
import { createEventReader } from './event-reader.ts';

/** How often (ms) the page follows what comes. */
const PACE = 150;

/**
 * Reads a log's pieces into events.
 * @param fromMiddle whether the log is read from somewhere after its first byte
 */
export function useEvents(fromMiddle: boolean): { sink: LogSink; events: readonly AgentEvent[] } {
  const [events, setEvents] = useState<readonly AgentEvent[]>([]);
  const { sink, stop } = useMemo(() => reading(fromMiddle, setEvents), [fromMiddle]);
  useEffect(() => stop, [stop]);
  return { sink, events };
}

function reading(fromMiddle: boolean, onEvents: (events: readonly AgentEvent[]) => void) {
  let reader = createEventReader(fromMiddle);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    timer = undefined;
    onEvents([...reader.events]);
  };
  const sink: LogSink = {
    onStart: () => {
      reader = createEventReader(fromMiddle);
      onEvents([]);
    },
    onPiece: ({ stream, text }) => {
      if (stream !== 'stdout') return;
      reader.push(text);
      timer ??= setTimeout(tell, PACE);
    },
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return { sink, stop };
}
