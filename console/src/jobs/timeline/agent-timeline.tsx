import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { type Question, questionsQuery } from '../../questions/question-queries.ts';
import { EmptyList } from '../../tables/empty-list.tsx';
import { useLiveEdge } from '../events/live-edge.ts';
import { useEvents } from '../events/use-events.ts';
import { AttemptSelect } from '../output/attempt-select.tsx';
import { useLogStart } from '../output/log-start.ts';
import { LogStatus } from '../output/log-status.tsx';
import { useLog } from '../output/use-log.ts';
import type { Job } from '../queries/job-query.ts';
import { Answer } from './answer.tsx';
import { useTimelineAddress } from './timeline-address.ts';
import { TimelineBar } from './timeline-bar.tsx';
import { type TimelineFilters, timelineItems } from './timeline-item.ts';
import { TimelineList } from './timeline-list.tsx';
import '../log/job-log.css';
import './timeline.css';

const NO_QUESTIONS: readonly Question[] = [];

/** Bytes of the end of a log that are read initially. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The prompt, events and outcome of an agent. Lines that are not events are shown unchanged. */
export function AgentTimeline({ job }: { job: Job }) {
  const address = useTimelineAddress(job);
  const { attempt, linked } = address;
  const [everything, setEverything] = useState(false);
  const [filters, setFilters] = useState<TimelineFilters['filters']>(new Set());
  const [words, setWords] = useState('');
  const [following, setFollowing] = useState(linked === undefined);
  const start = useLogStart(job, attempt, everything ? Number.POSITIVE_INFINITY : MAX_BYTES);
  const edge = useLiveEdge(job, attempt);
  const { sink, events } = useEvents((start?.stdout ?? 0) > 0, edge ?? null);
  const isReady = attempt > 0 && edge !== undefined;
  const log = useLog(
    job,
    useMemo(() => ({ attempt, stream: 'stdout' }), [attempt]),
    isReady ? start : undefined,
    sink,
  );
  const isAnswered = job.status === 'SUCCEEDED' && attempt === job.attempt && log.state === 'ended';
  const answer = isAnswered ? events.findLast(({ event }) => event.kind === 'message') : undefined;
  const { data: questions = NO_QUESTIONS } = useQuery(questionsQuery(job));
  const shownWords = useDeferredValue(words);
  const items = useMemo(
    () =>
      timelineItems(job, attempt, events, questions, {
        filters,
        words: shownWords,
        always: linked,
        answer: answer?.id,
      }),
    [job, attempt, events, questions, filters, shownWords, linked, answer?.id],
  );
  const onLeftEnd = useCallback(() => setFollowing(false), []);
  const isLive = job.status === 'RUNNING' && attempt === job.attempt;
  const onlyRaw = events.length > 0 && events.every(({ event }) => event.kind === 'raw');
  const first = events[0];
  return (
    <SpaceBetween size="s">
      {isAnswered && <Answer job={job} text={answer?.event.kind === 'message' ? answer.event.text : ''} />}
      <div className="job-log-bar timeline-bar">
        <LogStatus job={job} attempt={attempt} log={log} isEmpty={events.length === 0} />
        <AttemptSelect newest={job.attempt} selected={attempt} onSelect={address.chooseAttempt} />
        {events.length > 0 && (
          <TimelineBar events={events} filters={filters} onFilters={setFilters} words={words} onWords={setWords} />
        )}
        {isLive && (
          <Toggle checked={following} onChange={({ detail }) => setFollowing(detail.checked)}>
            Follow
          </Toggle>
        )}
      </div>
      {onlyRaw && log.state === 'ended' && <Alert>This agent does not report events. This is its plain output.</Alert>}
      {start !== undefined && start.stdout > 0 && (
        <Alert action={<Button onClick={() => setEverything(true)}>Show all events</Button>}>
          These are the last events of a long log.
        </Alert>
      )}
      {(filters.size > 0 || words !== '') && items.length === 0 && (
        <EmptyList
          title="No matching events"
          action={
            <Button
              onClick={() => {
                setFilters(new Set());
                setWords('');
              }}
            >
              Clear all filters
            </Button>
          }
        />
      )}
      <TimelineList
        key={attempt}
        items={items}
        linked={linked}
        isLinkedRead={log.state === 'ended' || (first !== undefined && Number(events.at(-1)?.id) >= Number(linked))}
        searchOf={address.searchOf}
        onLink={address.link}
        startedAt={attempt === job.attempt ? timeOf(job.started_at) : undefined}
        finishedAt={attempt === job.attempt ? timeOf(job.finished_at) : undefined}
        isFollowing={isLive && following}
        onLeftEnd={onLeftEnd}
      />
      {events.length > 0 && events.every(({ startedAt }) => startedAt === undefined) && (
        <Box variant="small">
          This agent does not report times. Times appear on events that arrive while this page is open.
        </Box>
      )}
    </SpaceBetween>
  );
}

function timeOf(timestamp: string | null): number | undefined {
  return timestamp === null ? undefined : Date.parse(timestamp);
}
