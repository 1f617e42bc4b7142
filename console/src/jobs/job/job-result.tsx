import Alert from '@cloudscape-design/components/alert';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { duration } from '../../format/duration.ts';
import { sizeText } from '../../format/size-text.ts';
import { PageError } from '../../page/page-error.tsx';
import { AttemptSelect } from '../output/attempt-select.tsx';
import { outputLosses } from '../output/output-losses.ts';
import { type Job, resultQuery } from '../queries/job-query.ts';
import { JobStatus } from '../status/job-status.tsx';
import { createColourStripper } from '../text/strip-colours.ts';
import { TextBlock } from '../text/text-block.tsx';

/** Characters shown of the end of each stream. The log has everything. */
const TAIL_CHARACTERS = 20_000;

/** The result of an attempt, by default the newest. Earlier results stay available after a retry. */
export function JobResult({ job, isScript }: { job: Job; isScript: boolean }) {
  const [chosen, setChosen] = useState<number>();
  const attempt = chosen ?? job.attempt;
  return (
    <SpaceBetween size="m">
      <AttemptSelect newest={job.attempt} selected={attempt} onSelect={setChosen} />
      <AttemptResult job={job} attempt={attempt} isScript={isScript} />
    </SpaceBetween>
  );
}

/** A script has no final message, prompt or usage. */
function AttemptResult({ job, attempt, isScript }: { job: Job; attempt: number; isScript: boolean }) {
  const result = useQuery(resultQuery(job, attempt));
  if (result.error) return <PageError error={result.error} what="The result" retry={() => void result.refetch()} />;
  if (!result.data) return <Spinner />;
  const { final_message, composed_prompt, stdout, stderr } = result.data;
  const { stdout_state, stderr_state, receipt_state, state_reason } = result.data;
  // A lost worker wrote no record. That is not damage.
  const isUnrecorded = receipt_state === 'missing' && state_reason.code === 'worker_lost';
  const losses = outputLosses({ ...result.data, ...(isUnrecorded && { receipt_state: undefined }) });
  const noMessage = isWhole(receipt_state) ? 'The agent left no final message.' : NOT_KEPT;
  const streams = (
    <ColumnLayout columns={2}>
      <TextBlock title="End of stdout" text={tail(stdout)} none={isWhole(stdout_state) ? NOTHING_WRITTEN : NOT_KEPT} />
      <TextBlock title="End of stderr" text={tail(stderr)} none={isWhole(stderr_state) ? NOTHING_WRITTEN : NOT_KEPT} />
    </ColumnLayout>
  );
  return (
    <SpaceBetween size="m">
      {losses.length > 0 && (
        <Alert type="error" header="Stored output is damaged">
          {losses.join(' ')} The remaining output is shown.
        </Alert>
      )}
      <KeyValuePairs
        columns={4}
        items={[...outcome(job, result.data), ...facts(result.data), ...(isScript ? [] : usageFacts(result.data))]}
      />
      {!isScript && <TextBlock title="Final message" text={final_message ?? ''} none={noMessage} isMarkdown />}
      {isScript ? (
        streams
      ) : (
        <ExpandableSection
          variant="container"
          headerText="Raw output"
          headerDescription="What the agent's CLI printed."
        >
          {streams}
        </ExpandableSection>
      )}
      {!isScript && <TextBlock title="Prompt as sent to the agent" text={composed_prompt ?? ''} none={NOT_KEPT} />}
    </SpaceBetween>
  );
}

const NOTHING_WRITTEN = 'No output.';
const NOT_KEPT = 'Not stored.';

function isWhole(state: Schemas['JobResult']['stdout_state']): boolean {
  return state === undefined || state === 'complete';
}

/** The outcome of the attempt, since the state of the job may be that of another one. */
function* outcome(job: Job, { status }: Schemas['JobResult']): Iterable<KeyValuePairsProps.Pair> {
  if (job.attempt > 1) yield { label: 'Outcome', value: <JobStatus status={status} /> };
}

function* facts(result: Schemas['JobResult']): Iterable<KeyValuePairsProps.Pair> {
  const { exit_code, signal, duration_ms, stdout_bytes, stderr_bytes } = result;
  yield { label: 'Exit', value: signal === null ? number(exit_code) : `by ${signal}` };
  yield { label: 'Run time', value: duration_ms === null ? '-' : duration(duration_ms) };
  yield { label: 'Output', value: `${sizeText(stdout_bytes)} stdout, ${sizeText(stderr_bytes)} stderr` };
}

function* usageFacts({ usage }: Schemas['JobResult']): Iterable<KeyValuePairsProps.Pair> {
  yield { label: 'Cost', value: usage?.cost_usd === undefined ? 'unknown' : `$${usage.cost_usd.toFixed(4)}` };
  yield {
    label: 'Input tokens',
    value: `${number(usage?.input_tokens)}${usage ? `, ${number(usage.cached_input_tokens)} of them cached` : ''}`,
  };
  yield { label: 'Output tokens', value: number(usage?.output_tokens) };
  yield { label: 'Reasoning tokens', value: number(usage?.reasoning_output_tokens) };
}

function number(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : value.toLocaleString('en');
}

function tail(text: string): string {
  const plain = createColourStripper()(text.slice(-TAIL_CHARACTERS));
  return text.length <= TAIL_CHARACTERS ? plain : `…${plain}`;
}
