import Alert from '@cloudscape-design/components/alert';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { PageError } from '../../page/page-error.tsx';
import { resultQuery } from '../queries/job-query.ts';
import { ComparedChanges } from './compared-changes.tsx';
import { ComparedFacts } from './compared-facts.tsx';
import { ComparedMessages } from './compared-messages.tsx';
import { ComparedPrompts } from './compared-prompts.tsx';
import { outcomeFacts, settingFacts } from './facts.ts';
import type { Side } from './side.ts';

/** Two attempts of known jobs side by side. */
export function Comparison({ a: one, b: other }: { a: Side; b: Side }) {
  const [ofA, ofB] = [useResult(one), useResult(other)];
  if (ofA.isPending || ofB.isPending) return <Spinner />;
  const a = { ...one, result: ofA.data };
  const b = { ...other, result: ofB.data };
  const isOneJob = a.job.id === b.job.id;
  return (
    <SpaceBetween size="m">
      {ofA.error && !ofA.data && (
        <PageError error={ofA.error} what={`The result of ${a.name}`} retry={() => void ofA.refetch()} />
      )}
      {ofB.error && !ofB.data && (
        <PageError error={ofB.error} what={`The result of ${b.name}`} retry={() => void ofB.refetch()} />
      )}
      {isOneJob && a.attempt === b.attempt && <Alert type="info">Both sides are the same attempt.</Alert>}
      <ComparedFacts title="Outcome" facts={outcomeFacts(a, b)} a={a} b={b} />
      {isOneJob ? (
        <Alert type="info" header="Settings">
          Both are attempts of one job. Settings are stored per job, so an edit between attempts shows only in the
          prompt.
        </Alert>
      ) : (
        <ComparedFacts
          title="Settings"
          description="The current settings of the jobs."
          facts={settingFacts(a, b)}
          a={a}
          b={b}
        />
      )}
      <ComparedPrompts a={a} b={b} />
      <ComparedMessages a={a} b={b} />
      <ComparedChanges a={a} b={b} />
    </SpaceBetween>
  );
}

function useResult({ job, attempt }: Side) {
  return useQuery(resultQuery(job, attempt));
}
