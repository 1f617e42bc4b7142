import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Link } from 'react-router';
import { duration } from '../../format/duration.ts';
import { exactTime } from '../../format/time-preference.ts';
import { JobTemplate } from '../../templates/job-template.tsx';
import { compareAddress } from '../queries/compare-address.ts';
import type { Job } from '../queries/job-query.ts';
import { JobTerminal } from '../terminal/job-terminal.tsx';
import { TextBlock } from '../text/text-block.tsx';
import { JobHistory } from './job-history.tsx';

/** A job's history, settings and prompt. */
export function JobDetails({ job }: { job: Job }) {
  return (
    <SpaceBetween size="m">
      <ColumnLayout columns={2}>
        <Container
          header={
            <Header
              variant="h2"
              actions={
                <Link className="job-link" to={eventsOf(job)}>
                  Events
                </Link>
              }
            >
              History
            </Header>
          }
        >
          <JobHistory job={job} />
        </Container>
        <Container header={<Header variant="h2">Settings</Header>}>
          <KeyValuePairs columns={2} items={[...facts(job)]} />
        </Container>
      </ColumnLayout>
      {job.template && <JobTemplate job={job} template={job.template} />}
      <TextBlock title="Prompt" text={job.prompt} none="" />
      {job.extra_prompt !== null && job.extra_prompt !== '' && (
        <TextBlock title="Extra prompt" text={job.extra_prompt} none="" />
      )}
      <JobTerminal job={job} />
    </SpaceBetween>
  );
}

function* facts(job: Job): Iterable<KeyValuePairsProps.Pair> {
  yield { label: 'ID', value: <Copyable text={job.id} /> };
  yield { label: 'Project', value: job.project };
  yield { label: 'Profile', value: job.profile };
  yield { label: 'Agent', value: job.agent ?? 'unknown: the profile was deleted' };
  if (job.agent !== 'shell') yield { label: 'Model', value: modelText(job) };
  yield { label: 'Priority', value: job.priority };
  yield { label: 'Timeout', value: timeoutText(job) };
  yield { label: 'Retries', value: job.retries };
  yield { label: 'Rules', value: job.rule_ids.join(', ') || 'none' };
  yield { label: 'Folder', value: <Folder job={job} /> };
  if (job.tags.length > 0) yield { label: 'Tags', value: job.tags.join(', ') };
  if (job.copied_from !== null) yield { label: 'Copied from', value: <Origin id={job.id} origin={job.copied_from} /> };
  if (job.forked_from !== null)
    yield { label: 'Forked from', value: <Link to={`/jobs/${job.forked_from}`}>{job.forked_from}</Link> };
  if (job.idempotency_key !== null) yield { label: 'Idempotency key', value: job.idempotency_key };
  if (job.session_id !== null) yield { label: 'Session', value: <Copyable text={job.session_id} /> };
  if (job.exit_code !== null) yield { label: 'Exit code', value: job.exit_code };
  if (job.signal !== null) yield { label: 'Signal', value: job.signal };
  yield { label: 'Created by', value: job.created_by };
  if (job.warnings.length > 0) yield { label: 'Warnings', value: job.warnings.join('\n') };
}

/** The page Events with those of the job, from its creation on. */
function eventsOf({ id, created_at }: Job): string {
  return `/events?${new URLSearchParams({ job: id, since: created_at })}`;
}

/** The model that ran, or the requested one before the job runs. */
function modelText({ model, model_used, profile }: Job): string {
  if (model_used !== null) return model_used;
  return model ?? `default of profile ${profile}`;
}

function Origin({ id, origin }: { id: string; origin: string }) {
  return (
    <>
      <Link to={`/jobs/${origin}`}>{origin}</Link>
      <br />
      <Link to={compareAddress({ id: origin }, { id })}>Compare with the original</Link>
    </>
  );
}

function timeoutText({ timeout, timeout_effective_seconds, profile }: Job): string {
  if (timeout_effective_seconds === null) return 'no limit';
  const text = duration(timeout_effective_seconds * 1000);
  return timeout === null ? `${text} (from profile ${profile})` : text;
}

function Copyable({ text }: { text: string }) {
  return (
    <CopyToClipboard
      variant="inline"
      textToCopy={text}
      textToDisplay={text}
      copyButtonAriaLabel="Copy"
      copySuccessText="Copied"
      copyErrorText="Copy failed"
    />
  );
}

/** Where the job works, and until when that and its files are kept. */
function Folder({ job: { cwd, folder, folder_kept_until: until, files_kept_until: filesUntil } }: { job: Job }) {
  return (
    <>
      {folder === null ? (cwd ?? 'a new folder') : <Copyable text={folder} />}
      {until !== null && <div>deleted after {exactTime(until)}</div>}
      {filesUntil !== null && <div>copies of its files after {exactTime(filesUntil)}</div>}
    </>
  );
}
