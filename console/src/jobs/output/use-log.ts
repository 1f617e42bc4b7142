import { useEffect, useState } from 'react';
import type { Job } from '../queries/job-query.ts';
import { followLog, type LogPiece } from './follow-log.ts';
import type { LogStart } from './log-start.ts';
import { outputLosses } from './output-losses.ts';
import type { LogStream } from './read-logs.ts';

/** The state of a followed log. */
export interface LogState {
  readonly state: 'connecting' | 'live' | 'ended' | 'trouble';
  readonly message?: string;
  /** Once the log has ended: sentences on stored output that is missing or damaged. */
  readonly losses?: readonly string[];
}

/** Receives a log. Must stay the same between renders. */
export interface LogSink {
  /** Called before the first piece, and again whenever the log restarts. */
  readonly onStart: () => void;
  readonly onPiece: (piece: LogPiece) => void;
}

/** Delivers the log of an attempt to `sink`, from `start` on. Waits until both are defined. */
export function useLog(
  job: Pick<Job, 'id'>,
  chosen: { attempt: number; stream: LogStream },
  start: LogStart | undefined,
  sink: LogSink | undefined,
): LogState {
  const [log, setLog] = useState<LogState>({ state: 'connecting' });
  const { id } = job;
  const { attempt, stream } = chosen;
  useEffect(() => {
    if (sink === undefined || start === undefined) return;
    setLog({ state: 'connecting' });
    sink.onStart();
    const parts = partsOf(stream, start);
    let open = parts.length;
    const losses: string[] = [];
    const ends = parts.map((part) =>
      followLog({ id, attempt }, part, {
        onOpen: () => setLog((before) => (before.state === 'trouble' ? { state: 'live' } : before)),
        onPiece: (piece) => {
          sink.onPiece(piece);
          setLog((before) => (before.state === 'live' ? before : { state: 'live' }));
        },
        onEnd: (_status, kept) => {
          open -= 1;
          losses.push(...outputLosses(kept));
          if (open === 0) setLog({ state: 'ended', losses });
        },
        onTrouble: (message) => setLog({ state: 'trouble', message }),
      }),
    );
    return () => {
      for (const end of ends) end();
    };
  }, [id, attempt, stream, start, sink]);
  return log;
}

/**
 * One connection delivers both streams in order, but only from their first bytes. An offset needs a connection per
 * stream.
 */
function partsOf(stream: LogStream, start: LogStart): { stream: LogStream; offset?: number }[] {
  if (stream !== 'all') return [{ stream, offset: start[stream] }];
  if (start.stdout === 0 && start.stderr === 0) return [{ stream }];
  return [
    { stream: 'stdout', offset: start.stdout },
    { stream: 'stderr', offset: start.stderr },
  ];
}
