import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { mayHaveTakenEffect } from '../../api/may-have-taken-effect.ts';
import { useMayAct } from '../../api/session.ts';
import { useIdempotencyKeys } from '../../form/use-idempotency-keys.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import type { Job } from '../queries/job-query.ts';

/** The messages to the agent of a job, and a box to send one while the job takes any. */
export function JobMessages({ job }: { job: Job }) {
  const mayAct = useMayAct();
  const isOpen = job.status === 'QUEUED' || (job.status === 'RUNNING' && job.cancel_requested_at === null);
  const messages = useQuery({
    queryKey: ['messages', job.id, isTerminal(job.status)],
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}/messages', { params: { path: { id: job.id } } })),
    enabled: job.agent !== 'shell' && job.status !== 'DRAFT',
    refetchInterval: (query) =>
      query.state.data?.items.some(({ status }) => status === 'pending') ? 2_000 : isOpen ? 10_000 : false,
  });
  if (job.agent === 'shell' || job.status === 'DRAFT') return null;
  const items = messages.data?.items ?? [];
  const takes = isOpen && mayAct;
  if (items.length === 0 && !takes) return null;
  return (
    <SpaceBetween size="s">
      {items.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {takes && <MessageBox id={job.id} isRunning={job.status === 'RUNNING'} />}
    </SpaceBetween>
  );
}

const SHOWN: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  pending: ['pending', 'Pending'],
  delivered: ['success', 'Delivered'],
  not_delivered: ['stopped', 'Not delivered'],
};

function Message({ message }: { message: Schemas['Message'] }) {
  const [type, word] = SHOWN[message.status] ?? ['info', message.status];
  return (
    <div>
      <SpaceBetween size="s" direction="horizontal">
        <StatusIndicator type={type}>{word}</StatusIndicator>
        <Box color="text-body-secondary">
          {message.created_by}, <TimeAgo at={message.created_at} />
          {message.reason !== null && `: ${message.reason}`}
          {message.next_job_id !== null && (
            <>
              . <Link to={`/jobs/${message.next_job_id}`}>The next turn</Link> has it.
            </>
          )}
        </Box>
      </SpaceBetween>
      <div className="job-message">{message.text}</div>
    </div>
  );
}

/** Whether an attempt takes messages depends on its drive, which no job shows. */
const RUNNING_HINT =
  'Its model reads it with the next request. An agent that takes none while it runs gets it in the next attempt or turn.';

function MessageBox({ id, isRunning }: { id: string; isRunning: boolean }) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const keys = useIdempotencyKeys();
  const send = useMutation({
    mutationFn: async (sent: string) => {
      const body = { text: sent, idempotency_key: await keys.of(sent) };
      await dataOf(api.POST('/api/v1/jobs/{id}/messages', { params: { path: { id } }, body }));
    },
    onSuccess: (_, sent) => {
      keys.renew();
      // The text may have been edited meanwhile.
      setText((now) => (now === sent ? '' : now));
    },
    onSettled: async () => await client.invalidateQueries({ queryKey: ['messages', id] }),
  });
  return (
    <SpaceBetween size="xs">
      {send.error && <SendError error={send.error} />}
      <FormField
        label="Message to the agent"
        description={isRunning ? RUNNING_HINT : 'The agent gets it with the prompt.'}
      >
        <Textarea value={text} rows={2} onChange={({ detail }) => setText(detail.value)} />
      </FormField>
      <Button loading={send.isPending} disabled={text.trim() === ''} onClick={() => send.mutate(text)}>
        Send
      </Button>
    </SpaceBetween>
  );
}

function SendError({ error }: { error: Error }) {
  if (!mayHaveTakenEffect(error)) return <Alert type="error">{error.message}</Alert>;
  return (
    <Alert type="warning" header="It is unknown whether the message was sent">
      {error.message} Sending the same text again does not send it twice.
    </Alert>
  );
}
