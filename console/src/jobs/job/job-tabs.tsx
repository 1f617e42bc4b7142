import Spinner from '@cloudscape-design/components/spinner';
import Tabs, { type TabsProps } from '@cloudscape-design/components/tabs';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { useShortcuts } from '../../browser/use-shortcuts.ts';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { attachmentsQuery, isOutputDeleted, type Job } from '../queries/job-query.ts';
import { lastList } from '../queries/last-list.ts';
import { threadQuery } from '../queries/thread-query.ts';
import { JobAttachments } from './job-attachments.tsx';
import { JobChanges } from './job-changes.tsx';
import { JobDeployments } from './job-deployments.tsx';
import { JobDetails } from './job-details.tsx';
import { JobResult } from './job-result.tsx';
import { JobTree } from './job-tree.tsx';

const JobLog = lazyPart(() => import('../log/job-log.tsx'), 'JobLog');
const Conversation = lazyPart(() => import('../thread/conversation.tsx'), 'Conversation');
const JobFiles = lazyPart(() => import('../files/job-files.tsx'), 'JobFiles');
const AgentTimeline = lazyPart(() => import('../timeline/agent-timeline.tsx'), 'AgentTimeline');

/** The tabs that apply to a job. The selected one is in the address, so it stays when the job's state changes. */
export function JobTabs({ job }: { job: Job }) {
  // A script reports no events and no usage.
  const isScript = job.agent === 'shell';
  const [parameters, setParameters] = useSearchParams();
  const attachments = useQuery({
    ...attachmentsQuery(job),
    enabled: job.attempt > 0 && job.status !== 'RUNNING' && !isOutputDeleted(job),
  }).data?.items.length;
  const turns = useQuery({ ...threadQuery(job), enabled: job.turn !== null }).data?.total;
  const wanted = parameters.get('tab');
  const isConversation = wanted === 'conversation';
  const tabs = [...tabsOf(job, isScript, { attachments, turns, isConversation })];
  const navigate = useNavigate();
  const show = (tab: string) => setParameters({ tab }, { replace: true });
  useShortcuts({
    ...Object.fromEntries(tabs.map(({ id }, at) => [String(at + 1), () => show(id)])),
    u: () => void navigate(lastList()),
  });
  const known = tabs.find(({ id }) => id === (wanted === 'events' ? 'timeline' : wanted))?.id;
  const shown = known ?? tabs[0]?.id ?? 'details';
  useEffect(() => {
    if (wanted !== shown) setParameters((before) => ({ ...Object.fromEntries(before), tab: shown }), { replace: true });
  }, [wanted, shown, setParameters]);
  return (
    <Tabs
      activeTabId={shown}
      ariaLabel="Job details"
      i18nStrings={{ scrollLeftAriaLabel: 'Previous tabs', scrollRightAriaLabel: 'More tabs' }}
      onChange={({ detail }) => show(detail.activeTabId)}
      tabs={tabs.map((tab) => ({
        ...tab,
        content: <Part loading={<Spinner />}>{tab.content}</Part>,
        // What is typed there stays while another tab is shown.
        ...(tab.id === 'conversation' && { contentRenderStrategy: 'lazy' as const }),
      }))}
    />
  );
}

/** What the tabs depend on besides the job. Counts are undefined while they are read. */
interface Shown {
  readonly attachments: number | undefined;
  readonly turns: number | undefined;
  /** Whether the address asks for the conversation, which then stays while the turns are counted. */
  readonly isConversation: boolean;
}

/** The first tab is the default. */
function* tabsOf(
  job: Job,
  isScript: boolean,
  { attachments, turns = 1, isConversation }: Shown,
): Iterable<TabsProps.Tab> {
  const isDeleted = isOutputDeleted(job);
  const hasRun = job.attempt > 0 && !isDeleted;
  const mayWrite = hasRun || job.status === 'QUEUED';
  if (mayWrite && !isScript) yield { id: 'timeline', label: 'Timeline', content: <AgentTimeline job={job} /> };
  if (mayWrite) yield { id: 'log', label: 'Log', content: <JobLog job={job} /> };
  if (hasRun) yield { id: 'result', label: 'Result', content: <JobResult job={job} isScript={isScript} /> };
  if (hasRun) yield { id: 'files', label: 'Files', content: <JobFiles job={job} /> };
  yield { id: 'details', label: 'Details', content: <JobDetails job={job} /> };
  if (turns > 1 || job.continues !== null || (job.turn !== null && (isConversation || isTerminal(job.status))))
    yield {
      id: 'conversation',
      label: counted('Conversation', turns > 1 ? turns : 0),
      content: <Conversation job={job} />,
    };
  const { changes } = job;
  if (changes) yield { id: 'changes', label: 'Changes', content: <JobChanges job={job} changes={changes} /> };
  if (hasRun)
    yield { id: 'attachments', label: counted('Attachments', attachments), content: <JobAttachments job={job} /> };
  if (job.follow_up_ids.length > 0 || job.parent_id !== null)
    yield {
      id: 'tree',
      label: counted('Tree', job.follow_up_ids.length),
      content: <JobTree job={job} />,
    };
  if (job.deployments.length > 0)
    yield {
      id: 'deployments',
      label: counted('Deployments', job.deployments.length),
      content: <JobDeployments job={job} />,
    };
}

function counted(name: string, count: number | undefined): string {
  return count === undefined || count === 0 ? name : `${name} (${count})`;
}
