import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { useEffect, useMemo, useRef, useState } from 'react';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { AttemptSelect } from '../output/attempt-select.tsx';
import { useLogStart } from '../output/log-start.ts';
import { LogStatus } from '../output/log-status.tsx';
import type { LogStream } from '../output/read-logs.ts';
import { useLog } from '../output/use-log.ts';
import type { Job } from '../queries/job-query.ts';
import { DownloadButton } from './download-button.tsx';
import { LogSearch } from './log-search.tsx';
import { type LogView, prefersPlainText, storePlainText } from './log-view.ts';
import { openPlainText } from './plain-view.ts';
import { openTerminal } from './terminal-view.ts';
import './job-log.css';

const STREAMS: { id: LogStream; text: string }[] = [
  { id: 'all', text: 'Both' },
  { id: 'stdout', text: 'stdout' },
  { id: 'stderr', text: 'stderr' },
];

/** The log of an attempt: live, searchable, in colour or as plain text. */
export function JobLog({ job }: { job: Job }) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<LogView>();
  const [stream, setStream] = useState<LogStream>('all');
  const [chosen, setChosen] = useState<number>();
  const [plain, setPlain] = useState(prefersPlainText);
  const [everything, setEverything] = useState(false);
  const [following, setFollowing] = useState(true);
  const [empty, setEmpty] = useState(true);
  const attempt = chosen ?? job.attempt;
  const start = useLogStart(job, attempt, everything ? Number.POSITIVE_INFINITY : LIMITS.logStreamBytes);
  useEffect(() => {
    if (element.current === null) return;
    const opened = (plain ? openPlainText : openTerminal)(element.current, () => setFollowing(false));
    setView(opened);
    return () => opened.dispose();
  }, [plain]);
  useEffect(() => view?.follow(following), [view, following]);
  const sink = useMemo(
    () =>
      view && {
        onStart: () => {
          view.clear();
          setEmpty(true);
        },
        onPiece: (piece: Parameters<LogView['write']>[0]) => {
          view.write(piece);
          setEmpty(false);
        },
      },
    [view],
  );
  const log = useLog(job, { attempt, stream }, attempt > 0 ? start : undefined, sink);
  return (
    <SpaceBetween size="s">
      <div className="job-log-bar">
        <LogStatus job={job} attempt={attempt} log={log} isEmpty={empty} />
        <SegmentedControl
          label="Stream"
          selectedId={stream}
          options={STREAMS}
          onChange={({ detail }) => setStream(STREAMS.find(({ id }) => id === detail.selectedId)?.id ?? 'all')}
        />
        <AttemptSelect newest={job.attempt} selected={attempt} onSelect={setChosen} />
        {!plain && <LogSearch onSearch={(text, direction) => view?.search(text, direction) ?? false} />}
        <Toggle checked={following} onChange={({ detail }) => setFollowing(detail.checked)}>
          Follow
        </Toggle>
        <Toggle
          checked={plain}
          onChange={({ detail }) => {
            storePlainText(detail.checked);
            setPlain(detail.checked);
          }}
        >
          Plain text
        </Toggle>
        <DownloadButton job={{ id: job.id, attempt }} stream={stream} />
      </div>
      {start !== undefined && start.stdout + start.stderr > 0 && (
        <Alert action={<Button onClick={() => setEverything(true)}>Show all</Button>}>
          This is the end of a long log: {(start.stdout + start.stderr).toLocaleString('en')} bytes before it are not
          shown.
        </Alert>
      )}
      <section ref={element} className="job-log" aria-label="Log" tabIndex={plain ? -1 : 0} />
    </SpaceBetween>
  );
}
