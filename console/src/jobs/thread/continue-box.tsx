import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { jobCreation } from '../../../../lib/contract/schemas/job-creation.ts';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf } from '../../api/client.ts';
import { fieldErrors } from '../../form/field-errors.ts';
import type { JobSummary } from '../queries/jobs-query.ts';

/** Creates the turn after the newest one, and opens it. */
export function ContinueBox({ newest }: { newest: JobSummary }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [prompt, setPrompt] = useState('');
  const [fault, setFault] = useState<string>();
  const create = useMutation({
    mutationFn: async () => await dataOf(api.POST('/api/v1/jobs', { body: { continue: newest.id, prompt } })),
    onSuccess: async ({ id }) => {
      setPrompt('');
      await client.invalidateQueries();
      await navigate(`/jobs/${id}`);
    },
    onError: ({ message }) => setFault(message),
  });
  const submit = () => {
    if (create.isPending) return;
    const { prompt: found } = fieldErrors<'prompt'>(jobCreation, { prompt });
    setFault(found);
    if (found === undefined) create.mutate();
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
          onKeyDown={({ detail }) => detail.key === 'Enter' && (detail.ctrlKey || detail.metaKey) && submit()}
        />
      </FormField>
      <Button variant="primary" loading={create.isPending} onClick={submit}>
        Continue
      </Button>
    </SpaceBetween>
  );
}

function descriptionOf({ status, agent, turn }: JobSummary): string {
  const shared = agent === 'shell' ? 'in the same folder' : 'in the same folder and session';
  const start = isTerminal(status) ? '' : ` It starts when turn ${turn} succeeds.`;
  return `Creates turn ${(turn ?? 0) + 1} ${shared}.${start}`;
}
