import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import * as z from 'zod';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { useMayAct } from '../../api/session.ts';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { useStoredFields } from '../../form/stored-fields.ts';
import { useIdempotencyKeys } from '../../form/use-idempotency-keys.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { PageError } from '../../page/page-error.tsx';
import type { Job } from '../queries/job-query.ts';

/** What the box contains before anything is typed. */
const EMPTY = { fields: { text: '' }, openedAt: null };
const FIELDS = z.object({ text: z.string() });

/** The messages to the agent of a job, and a box to send one while the job takes any. Unsent text stays after that. */
export function JobMessages({ job }: { job: Job }) {
  const mayAct = useMayAct();
  const { fields, change } = useStoredFields(`message.${job.id}`, FIELDS, EMPTY);
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
  // The answer has its own box, and two would be taken for each other.
  const isAsked = job.question?.state === 'open';
  const hasBox = mayAct && (isOpen || fields.text !== '') && (!isAsked || fields.text !== '');
  const unread = messages.data === undefined ? messages.error : null;
  if (items.length === 0 && !hasBox && !unread) return null;
  return (
    <SpaceBetween size="s">
      {unread && <PageError error={unread} what="The messages to the agent" retry={() => void messages.refetch()} />}
      {items.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {hasBox && <MessageBox job={job} isOpen={isOpen} text={fields.text} change={change} />}
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
const HINTS: Partial<Record<Job['status'], string>> = {
  QUEUED: 'The agent gets it with the prompt.',
  RUNNING:
    'Its model reads it with the next request. An agent that takes none while it runs gets it in the next attempt or turn.',
};

const CLOSED_HINT = 'The job takes no more messages. On the tab Conversation, the text can continue it.';

interface MessageBoxProps {
  readonly job: Job;
  readonly isOpen: boolean;
  readonly text: string;
  readonly change: ReturnType<typeof useStoredFields<{ readonly text: string }>>['change'];
}

function MessageBox({ job: { id, status }, isOpen, text, change }: MessageBoxProps) {
  const client = useQueryClient();
  const keys = useIdempotencyKeys(`promptq.message-keys.${id}`);
  const send = useMutation({
    mutationFn: async (sent: string) => {
      const body = { text: sent, idempotency_key: await keys.of(sent) };
      await dataOf(api.POST('/api/v1/jobs/{id}/messages', { params: { path: { id } }, body }));
    },
    onSuccess: (_, sent) => {
      keys.renew();
      // The text may have been edited meanwhile.
      change((now) => (now.text === sent ? EMPTY.fields : {}));
    },
    onSettled: async () => await client.invalidateQueries({ queryKey: ['messages', id] }),
  });
  return (
    <SpaceBetween size="xs">
      {send.error && (
        <WriteFailure
          error={send.error}
          rejected="The message was not sent"
          done="the message was sent"
          next="Sending the same text again does not send it twice."
        />
      )}
      <FormField label="Message to the agent" description={isOpen ? HINTS[status] : CLOSED_HINT}>
        <Textarea value={text} rows={2} onChange={({ detail }) => change({ text: detail.value })} />
      </FormField>
      <Button loading={send.isPending} disabled={text.trim() === ''} onClick={() => send.mutate(text)}>
        Send
      </Button>
    </SpaceBetween>
  );
}
