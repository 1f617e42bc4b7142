import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';
import Tabs, { type TabsProps } from '@cloudscape-design/components/tabs';
import { useNavigate, useSearchParams } from 'react-router';
import { lazyPart } from '../../layout/lazy-part.ts';
import { Part } from '../../layout/part.tsx';
import { useShortcuts } from '../../layout/use-shortcuts.ts';
import { lastList } from '../list/last-list.ts';
import { JobAttachments } from './job-attachments.tsx';
import { JobChanges } from './job-changes.tsx';
import { JobDeployments } from './job-deployments.tsx';
import { JobDetails } from './job-details.tsx';
import { JobFollowUps } from './job-follow-ups.tsx';
import type { Job } from './job-query.ts';
import { JobResult } from './job-result.tsx';

const JobLog = lazyPart(() => import('../log/job-log.tsx'), 'JobLog');
const JobEvents = lazyPart(() => import('../events/job-events.tsx'), 'JobEvents');

/** What is known of a job, part by part; the part that is shown stands in the address. */
export function JobTabs({ job }: { job: Job }) {
  const [parameters, setParameters] = useSearchParams();
  const tabs = [...tabsOf(job)];
  const navigate = useNavigate();
  const show = (tab: string) => setParameters({ tab }, { replace: true });
  useShortcuts({
    ...Object.fromEntries(tabs.map(({ id }, at) => [String(at + 1), () => show(id)])),
    u: () => void navigate(lastList()),
  });
  const wanted = parameters.get('tab');
  const shown = tabs.find(({ id }) => id === wanted)?.id ?? (job.attempt === 0 ? 'details' : 'log');
  return (
    <Tabs
      activeTabId={shown}
      ariaLabel="Parts of the job"
      i18nStrings={{ scrollLeftAriaLabel: 'Parts before', scrollRightAriaLabel: 'More parts' }}
      onChange={({ detail }) => show(detail.activeTabId)}
      tabs={tabs.map((tab) => ({ ...tab, content: <Part loading={<Spinner />}>{tab.content}</Part> }))}
    />
  );
}

function* tabsOf(job: Job): Iterable<TabsProps.Tab> {
  const never = job.attempt === 0;
  yield { id: 'log', label: 'Log', content: never ? <NothingYet /> : <JobLog job={job} /> };
  yield { id: 'events', label: 'Events', content: never ? <NothingYet /> : <JobEvents job={job} /> };
  yield { id: 'result', label: 'Result', content: <JobResult job={job} /> };
  yield { id: 'details', label: 'Details', content: <JobDetails job={job} /> };
  const { changes } = job;
  if (changes) yield { id: 'changes', label: 'Changes', content: <JobChanges job={job} changes={changes} /> };
  yield { id: 'attachments', label: 'Attachments', content: <JobAttachments job={job} /> };
  yield {
    id: 'follow-ups',
    label: counted('Follow-ups', job.follow_up_ids.length),
    content: <JobFollowUps job={job} />,
  };
  yield {
    id: 'deployments',
    label: counted('Deployments', job.deployments.length),
    content: <JobDeployments job={job} />,
  };
}

function counted(name: string, count: number): string {
  return count === 0 ? name : `${name} (${count})`;
}

function NothingYet() {
  return <Box color="text-body-secondary">Nothing has been written yet: no attempt has started.</Box>;
}
