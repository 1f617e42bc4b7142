import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea, { type TextareaProps } from '@cloudscape-design/components/textarea';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import * as z from 'zod';
import { jobCreation } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf } from '../../api/client.ts';
import { mayHaveTakenEffect } from '../../api/may-have-taken-effect.ts';
import { fieldErrors } from '../../form/field-errors.ts';
import { useStoredFields } from '../../form/stored-fields.ts';
import { useIdempotencyKeys } from '../../form/use-idempotency-keys.ts';
import { CreationFailure } from '../form/creation-failure.tsx';
import type { JobSummary } from '../queries/jobs-query.ts';
import { refusalOf, type TurnChoice, type TurnRefusal } from './turn-refusal.ts';

/** What the box contains before anything is typed. */
const EMPTY = { fields: { prompt: '', afterAny: false }, openedAt: null };
const FIELDS = z.object({ prompt: z.string(), afterAny: z.boolean() });

/** The state of an address that is opened to continue the job: the box gets the focus. */
export const CONTINUING = 'continuing';

interface ContinueBoxProps {
  /** The job of the page. Unsent input is stored with it. */
  readonly jobId: string;
  readonly newest: JobSummary;
}

/** Creates the turn after the newest one, or a thread from a copy of it, and opens it. */
export function ContinueBox({ jobId, newest }: ContinueBoxProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { state: opened, key: opening } = useLocation();
  const box = useRef<TextareaProps.Ref>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening moves the focus, also to the same address
  useEffect(() => {
    if (opened === CONTINUING) box.current?.focus();
  }, [opened, opening]);
  const unsent = useStoredFields(`turn.${jobId}`, FIELDS, EMPTY);
  const { prompt, afterAny } = unsent.fields;
  const [fault, setFault] = useState<string>();
  const [refusal, setRefusal] = useState<TurnRefusal>();
  const waits = !isTerminal(newest.status);
  const keys = useIdempotencyKeys(`promptq.turn-keys.${jobId}`);
  const create = useMutation({
    mutationFn: async ({ action, ...fields }: TurnChoice) => {
      const after = waits && afterAny && action === 'continue' ? { continue_after: 'any' as const } : {};
      // Without the newest turn: that may be the one whose creation got no response.
      const idempotency_key = await keys.of([action, prompt, afterAny]);
      const body = { [action]: newest.id, prompt, ...fields, ...after, idempotency_key };
      return await dataOf(api.POST('/api/v1/jobs', { body }));
    },
    onSuccess: async ({ id }) => {
      keys.renew();
      unsent.forget();
      await client.invalidateQueries();
      await navigate(`/jobs/${id}`);
    },
    onError: async (error, choice) => {
      if (mayHaveTakenEffect(error)) return await client.invalidateQueries({ queryKey: ['thread'] });
      const refused = refusalOf(error, choice, newest);
      setRefusal(refused);
      setFault(refused === undefined ? error.message : undefined);
    },
  });
  const submit = (choice: TurnChoice) => {
    if (create.isPending) return;
    const { prompt: found } = fieldErrors<'prompt'>(jobCreation, { prompt });
    setFault(found);
    setRefusal(undefined);
    if (found === undefined) create.mutate(choice);
  };
  return (
    <SpaceBetween size="xs">
      <FormField label="Continue" description={descriptionOf(newest, afterAny)} errorText={fault} stretch>
        <Textarea
          ref={box}
          rows={4}
          value={prompt}
          placeholder="What to do next"
          onChange={({ detail }) => {
            unsent.change({ prompt: detail.value });
            setFault(undefined);
            setRefusal(undefined);
          }}
          onKeyDown={({ detail }) =>
            detail.key === 'Enter' && (detail.ctrlKey || detail.metaKey) && submit({ action: 'continue' })
          }
        />
      </FormField>
      {waits && (
        <Checkbox checked={afterAny} onChange={({ detail }) => unsent.change({ afterAny: detail.checked })}>
          Start even if turn {newest.turn} fails or is cancelled
        </Checkbox>
      )}
      {refusal && (
        <Alert type="warning" action={<Button onClick={() => submit(refusal.choice)}>{refusal.label}</Button>}>
          {refusal.reason}
        </Alert>
      )}
      {create.error && mayHaveTakenEffect(create.error) && <CreationFailure error={create.error} />}
      <SpaceBetween size="xs" direction="horizontal">
        <Button
          variant="primary"
          loading={create.isPending && create.variables.action === 'continue'}
          disabled={create.isPending}
          onClick={() => submit({ action: 'continue' })}
        >
          Continue
        </Button>
        {canFork(newest) && (
          <Button
            loading={create.isPending && create.variables.action === 'fork'}
            disabled={create.isPending}
            onClick={() => submit({ action: 'fork' })}
          >
            Fork
          </Button>
        )}
      </SpaceBetween>
    </SpaceBetween>
  );
}

function descriptionOf(newest: JobSummary, afterAny: boolean): string {
  const { status, agent, turn } = newest;
  const shared = agent === 'shell' ? 'in the same folder' : 'in the same folder and session';
  const copies = agent === 'shell' ? 'a copy of the folder' : 'copies of both';
  const start = isTerminal(status) ? '' : ` It starts when turn ${turn} ${afterAny ? 'ends' : 'succeeds'}.`;
  const fork = canFork(newest) ? ` Fork creates a new thread with ${copies}.` : '';
  return `Continue creates turn ${(turn ?? 0) + 1} ${shared}.${start}${fork}`;
}

/** Whether there is something to copy that does not change meanwhile. */
function canFork({ status, attempt, cwd }: JobSummary): boolean {
  return isTerminal(status) && attempt > 0 && cwd === null;
}
