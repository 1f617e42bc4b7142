import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiError } from '../api/api-error.ts';
import { MissingEntry } from '../catalog/edit/missing-entry.tsx';
import { templatePath } from '../form/template-path.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { exactTime } from '../format/time-preference.ts';
import { TextBlock } from '../jobs/text/text-block.tsx';
import { LinkButton } from '../page/link-button.tsx';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { AutomationActions } from './automation-actions.tsx';
import { type Automation, automationQuery } from './automation-queries.ts';
import { AutomationRuns } from './automation-runs.tsx';
import { AutomationState, Failures, LastRun, Lateness } from './automation-state.tsx';
import { MISSED, OVERLAPS, scheduleText } from './automation-words.ts';
import { HookDetails } from './hook/hook-details.tsx';
import { NextRuns } from './next-runs.tsx';

/** One automation: its health, its next instants, its history and its job. */
export function AutomationPage() {
  const { id = '' } = useParams();
  const navigate = useNavigate();
  const automation = useQuery(automationQuery(id));
  const { data, error } = automation;
  usePageTitle(data === undefined ? 'Automation' : `Automation ${data.name}`);
  if (error instanceof ApiError && error.status === 404)
    return <MissingEntry what="automation" name={id} list="automations" />;
  if (error && !data) return <PageError error={error} what="The automation" retry={() => void automation.refetch()} />;
  if (!data) return <PageLoading what="the automation" />;
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description={scheduleText(data)}
        actions={
          <SpaceBetween size="xs" direction="horizontal">
            <LinkButton to={`/jobs?${new URLSearchParams({ automation: data.id })}`}>Show jobs</LinkButton>
            <AutomationActions automation={data} variant="normal" onDeleted={() => void navigate('/automations')} />
          </SpaceBetween>
        }
      >
        {data.name}
      </Header>
      <Container header={<Header variant="h2">Health</Header>}>
        <KeyValuePairs columns={3} items={[...health(data)]} />
      </Container>
      {data.next_runs.length > 0 && (
        <Container header={<Header variant="h2">Next runs</Header>}>
          <NextRuns automation={data} />
        </Container>
      )}
      {data.trigger.hook !== null && <HookDetails id={data.id} hook={data.trigger.hook} />}
      <AutomationRuns id={data.id} />
      <Container header={<Header variant="h2">Settings</Header>}>
        <KeyValuePairs columns={4} items={[...settings(data)]} />
      </Container>
      {data.job.prompt !== undefined && <TextBlock title="Prompt" text={data.job.prompt} none="" />}
    </SpaceBetween>
  );
}

function* health(one: Automation): Iterable<KeyValuePairsProps.Pair> {
  yield { label: 'State', value: <AutomationState automation={one} /> };
  yield { label: 'Next run', value: <TimeAgo at={one.next_runs[0]?.starts_at} /> };
  yield { label: 'Last run', value: <LastRun automation={one} /> };
  const late = one.last_run?.trigger === 'schedule' ? one.last_run.late_seconds : undefined;
  yield { label: 'Lateness', value: late === undefined ? '-' : <Lateness seconds={late} /> };
  yield { label: 'Failures in a row', value: <Failures automation={one} /> };
  yield { label: 'Last success', value: <TimeAgo at={one.last_success_at} /> };
}

function* settings(one: Automation): Iterable<KeyValuePairsProps.Pair> {
  const { job, enabled_until: until } = one;
  yield { label: 'Project', value: one.project };
  if (job.template !== undefined)
    yield { label: 'Template', value: <Link to={templatePath(job.template)}>{job.template}</Link> };
  for (const [name, value] of Object.entries(job.parameters ?? {})) yield { label: name, value: String(value) };
  yield { label: 'Profile', value: job.profile ?? 'the default one' };
  if (job.model !== undefined) yield { label: 'Model', value: job.model };
  yield { label: 'If its last job has not ended', value: labelOf(OVERLAPS, one.overlap) };
  yield { label: 'Missed runs', value: labelOf(MISSED, one.missed) };
  if (one.jitter > 0) yield { label: 'Starts within', value: `${one.jitter} s` };
  yield {
    label: 'Pauses after',
    value: one.pause_after_failures === 0 ? 'never' : `${one.pause_after_failures} failures in a row`,
  };
  if (until !== null) yield { label: 'Enabled until', value: exactTime(until) };
  yield { label: 'Owner', value: <Box>{one.owner}</Box> };
}

function labelOf(choices: readonly { readonly value: string; readonly label: string }[], value: string): string {
  return choices.find((choice) => choice.value === value)?.label ?? value;
}
