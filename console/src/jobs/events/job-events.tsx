import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMemo, useState } from 'react';
import type { Job } from '../job/job-query.ts';
import { AttemptSelect } from '../log/attempt-select.tsx';
import { useLogStart } from '../log/log-start.ts';
import { LogStatus } from '../log/log-status.tsx';
import { useLog } from '../log/use-log.ts';
import { EventRow } from './event-row.tsx';
import { useEvents } from './use-events.ts';
import '../log/job-log.css';
import './job-events.css';

/** How many events are shown at first, and how many more at each asking. */
const SHOWN = 200;

/** What an agent's events say: its messages, commands, changed files, tokens. Lines that are no events stand as they are. */
export function JobEvents({ job }: { job: Job }) {
  const [chosen, setChosen] = useState<number>();
  const [everything, setEverything] = useState(false);
  const [shown, setShown] = useState(SHOWN);
  const attempt = chosen ?? job.attempt;
  const start = useLogStart(job, attempt, everything);
  const { sink, events } = useEvents((start?.stdout ?? 0) > 0);
  const log = useLog(
    job,
    useMemo(() => ({ attempt, stream: 'stdout' }), [attempt]),
    start,
    sink,
  );
  const hidden = Math.max(0, events.length - shown);
  const onlyRaw = events.length > 0 && events.every(({ kind }) => kind === 'raw');
  return (
    <SpaceBetween size="s">
      <div className="job-log-bar">
        <LogStatus log={log} empty={events.length === 0} />
        <AttemptSelect newest={job.attempt} selected={attempt} onSelect={setChosen} />
        <Box color="text-body-secondary">{events.length.toLocaleString('en')} events</Box>
      </div>
      {onlyRaw && log.state === 'ended' && <Alert>This agent writes no events: this is its plain output.</Alert>}
      {start !== undefined && start.stdout > 0 && (
        <Alert action={<Button onClick={() => setEverything(true)}>Show all of them</Button>}>
          These are the last events of a long log.
        </Alert>
      )}
      {hidden > 0 && (
        <Button onClick={() => setShown(shown + SHOWN)}>
          {`Show earlier ones (${hidden.toLocaleString('en')} hidden)`}
        </Button>
      )}
      <section aria-label="Events" className="agent-events">
        {events.slice(hidden).map((event, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event's place never changes
          <EventRow key={hidden + at} event={event} />
        ))}
      </section>
    </SpaceBetween>
  );
}
