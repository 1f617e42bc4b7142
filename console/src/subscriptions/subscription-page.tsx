import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { ApiError } from '../api/api-error.ts';
import { MissingEntry } from '../catalog/edit/missing-entry.tsx';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { TimeAgo } from '../format/time-ago.tsx';
import { AdminsOnly } from '../page/admins-only.tsx';
import { LinkButton } from '../page/link-button.tsx';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { Deliveries } from './deliveries.tsx';
import { adviceFor } from './failure-advice.ts';
import {
  deliveriesQuery,
  isBeingSent,
  type Subscription,
  subscriptionQuery,
  useActOnSubscription,
  useSend,
} from './subscription-queries.ts';
import { SubscriptionState } from './subscription-state.tsx';
import { eventsText, filterText } from './subscription-words.ts';
import { choiceOf, targetText } from './target-kinds.ts';

/** One subscription: its health, a test, its deliveries. */
export function SubscriptionPage() {
  const { id = '' } = useParams();
  return (
    <AdminsOnly title="Subscription">
      <Stored key={id} id={id} />
    </AdminsOnly>
  );
}

function Stored({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(subscriptionQuery(id));
  usePageTitle(data === undefined ? 'Subscription' : `Subscription ${data.name}`);
  if (error instanceof ApiError && error.status === 404)
    return <MissingEntry what="subscription" name={id} list="subscriptions" />;
  if (error && !data) return <PageError error={error} what="The subscription" retry={() => void refetch()} />;
  if (!data) return <PageLoading what="the subscription" />;
  return <Shown one={data} />;
}

function Shown({ one }: { one: Subscription }) {
  const navigate = useNavigate();
  const act = useActOnSubscription(one.id, () => void navigate('/subscriptions'));
  const send = useSend(one.id);
  const [isAsked, setAsked] = useState(false);
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description={targetText(one)}
        actions={
          <SpaceBetween size="xs" direction="horizontal">
            <Button loading={send.isPending && send.variables === undefined} onClick={() => send.mutate(undefined)}>
              Send test
            </Button>
            <LinkButton to={`/subscriptions/${encodeURIComponent(one.id)}/edit`}>Edit</LinkButton>
            <Button
              loading={act.isPending && act.variables !== 'delete'}
              onClick={() => act.mutate(one.enabled ? 'pause' : 'resume')}
            >
              {one.enabled ? 'Pause' : 'Resume'}
            </Button>
            <Button onClick={() => setAsked(true)}>Delete</Button>
          </SpaceBetween>
        }
      >
        {one.name}
      </Header>
      {send.data?.kind === 'test' && <TestResult key={send.data.id} one={one} delivery={send.data.id} />}
      <Container header={<Header variant="h2">Health</Header>}>
        <KeyValuePairs columns={3} items={[...health(one)]} />
      </Container>
      <Container header={<Header variant="h2">Settings</Header>}>
        <KeyValuePairs columns={3} items={[...settings(one)]} />
      </Container>
      <Deliveries
        id={one.id}
        sending={send.isPending ? send.variables : undefined}
        onResend={(id) => send.mutate(id)}
      />
      {isAsked && (
        <ConfirmDialog
          action="Delete subscription"
          busy={act.isPending}
          onDismiss={() => setAsked(false)}
          onConfirm={() => act.mutate('delete', { onSettled: () => setAsked(false) })}
        >
          {one.name} sends nothing more, also of what waits to be tried again. Its deliveries and secrets are deleted.
        </ConfirmDialog>
      )}
    </SpaceBetween>
  );
}

/** What became of a test, in words, once it is known. */
function TestResult({ one, delivery: id }: { one: Subscription; delivery: string }) {
  const { data } = useQuery(deliveriesQuery(one.id));
  const delivery = data?.items.find((item) => item.id === id);
  if (delivery === undefined || isBeingSent(delivery))
    return <Alert type="info">The test is being sent to {targetText(one)}.</Alert>;
  if (delivery.state === 'delivered')
    return (
      <Alert type="success" header="The test has arrived">
        {targetText(one)} accepted it.
      </Alert>
    );
  return (
    <Alert type="error" header="The test has not arrived">
      {delivery.error} {adviceFor(delivery.error ?? '')}
    </Alert>
  );
}

function* health(one: Subscription): Iterable<KeyValuePairsProps.Pair> {
  yield { label: 'State', value: <SubscriptionState one={one} /> };
  yield { label: 'Last delivery', value: <TimeAgo at={one.last_delivery?.at} /> };
  yield { label: 'Given up after 24 hours', value: one.dropped };
}

function* settings(one: Subscription): Iterable<KeyValuePairsProps.Pair> {
  const choice = choiceOf(one);
  yield { label: 'Events', value: eventsText(one) };
  yield { label: 'Only of', value: filterText(one) ?? 'all jobs' };
  if (choice?.canAnswer)
    yield { label: 'May answer', value: one.answers_from.length === 0 ? 'nobody' : one.answers_from.join(', ') };
  if (choice?.value === 'slack-bot') {
    const address = `${window.location.origin}/api/v1/subscriptions/${encodeURIComponent(one.id)}/slack`;
    yield {
      label: 'Request URL for interactivity, to enter in the Slack app',
      value: (
        <CopyToClipboard
          variant="inline"
          textToCopy={address}
          textToDisplay={address}
          copyButtonAriaLabel="Copy"
          copySuccessText="Copied"
          copyErrorText="Copy failed"
        />
      ),
    };
  }
  yield { label: 'Created by', value: one.created_by };
  yield { label: 'Changed', value: <TimeAgo at={one.updated_at} /> };
}
