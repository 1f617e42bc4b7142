import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { jobCreation } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf } from '../../api/client.ts';
import { fieldErrors } from '../../form/field-errors.ts';
import type { JobSummary } from '../queries/jobs-query.ts';

/** Creates the turn after the newest one, or a thread from a copy of it, and opens it. */
export function ContinueBox({ newest }: { newest: JobSummary }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [prompt, setPrompt] = useState('');
  const [fault, setFault] = useState<string>();
  const create = useMutation({
    mutationFn: async (action: 'continue' | 'fork') =>
      await dataOf(api.POST('/api/v1/jobs', { body: { [action]: newest.id, prompt } })),
    onSuccess: async ({ id }) => {
      setPrompt('');
      await client.invalidateQueries();
      await navigate(`/jobs/${id}`);
    },
    onError: ({ message }) => setFault(message),
  });
  const submit = (action: 'continue' | 'fork') => {
    if (create.isPending) return;
    const { prompt: found } = fieldErrors<'prompt'>(jobCreation, { prompt });
    setFault(found);
    if (found === undefined) create.mutate(action);
  };
  return (
    <SpaceBetween size="xs">
      <FormField label="Continue" description={descriptionOf(newest)} errorText={fault} stretch>
        <Textarea
          rows={4}
          value={prompt}
          placeholder="What to do next"
          onChange={({ detail }) => {
            setPrompt(detail.value);
            setFault(undefined);
          }}
          onKeyDown={({ detail }) => detail.key === 'Enter' && (detail.ctrlKey || detail.metaKey) && submit('continue')}
        />
      </FormField>
      <SpaceBetween size="xs" direction="horizontal">
        <Button
          variant="primary"
          loading={create.isPending && create.variables === 'continue'}
          disabled={create.isPending}
          onClick={() => submit('continue')}
        >
          Continue
        </Button>
        {canFork(newest) && (
          <Button
            loading={create.isPending && create.variables === 'fork'}
            disabled={create.isPending}
            onClick={() => submit('fork')}
          >
            Fork
          </Button>
        )}
      </SpaceBetween>
    </SpaceBetween>
  );
}

function descriptionOf(newest: JobSummary): string {
  const { status, agent, turn } = newest;
  const shared = agent === 'shell' ? 'in the same folder' : 'in the same folder and session';
  const copies = agent === 'shell' ? 'a copy of the folder' : 'copies of both';
  const start = isTerminal(status) ? '' : ` It starts when turn ${turn} succeeds.`;
  const fork = canFork(newest) ? ` Fork creates a new thread with ${copies}.` : '';
  return `Continue creates turn ${(turn ?? 0) + 1} ${shared}.${start}${fork}`;
}

/** Whether there is something to copy that does not change meanwhile. */
function canFork({ status, attempt, cwd }: JobSummary): boolean {
  return isTerminal(status) && attempt > 0 && cwd === null;
}
