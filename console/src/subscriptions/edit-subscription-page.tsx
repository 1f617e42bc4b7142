import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../api/api-error.ts';
import { MissingEntry } from '../catalog/edit/missing-entry.tsx';
import { SecretDialog } from '../feedback/secret-dialog.tsx';
import { WriteFailure } from '../feedback/write-failure.tsx';
import { focusFirstError } from '../form/focus-first-error.ts';
import { useSubmitKey } from '../form/use-submit-key.ts';
import { AdminsOnly } from '../page/admins-only.tsx';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { fieldsOf, missingIn, type SubscriptionErrors, writeOf } from './subscription-fields.ts';
import { SubscriptionForm } from './subscription-form.tsx';
import { type Subscription, subscriptionQuery, useSaveSubscription } from './subscription-queries.ts';
import '../jobs/form/new-job.css';

/** Creates a subscription, or edits the one in the address. `to` in the address chooses where it sends. */
export function EditSubscriptionPage() {
  const { id } = useParams();
  const title = id === undefined ? 'New subscription' : 'Edit subscription';
  usePageTitle(title);
  return (
    <AdminsOnly title={title}>
      {id === undefined ? <Editor stored={undefined} /> : <StoredSubscription key={id} id={id} />}
    </AdminsOnly>
  );
}

function StoredSubscription({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({ ...subscriptionQuery(id), refetchInterval: false });
  if (error instanceof ApiError && error.status === 404)
    return <MissingEntry what="subscription" name={id} list="subscriptions" />;
  if (error && !data) return <PageError error={error} what="The subscription" retry={() => void refetch()} />;
  if (!data) return <PageLoading what="the subscription" />;
  return <Editor stored={data} />;
}

function Editor({ stored }: { stored: Subscription | undefined }) {
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const [fields, setFields] = useState(() => fieldsOf(stored, parameters.get('to')));
  const [errors, setErrors] = useState<SubscriptionErrors>({});
  const save = useSaveSubscription(stored?.id);
  const open = ({ id }: Pick<Subscription, 'id'>) => void navigate(`/subscriptions/${encodeURIComponent(id)}`);
  const submit = () => {
    if (save.isPending) return;
    const missing = missingIn(fields, stored);
    setErrors(missing);
    if (Object.keys(missing).length > 0) return focusFirstError();
    save.mutate(writeOf(fields, stored), { onSuccess: (saved) => saved.secret === undefined && open(saved) });
  };
  useSubmitKey(submit);
  const { secret } = save.data ?? {};
  if (save.data && secret !== undefined)
    return (
      <SecretDialog header="Signing secret" what="secret" secret={secret} onDone={() => open(save.data)}>
        The receiver uses it to verify that calls come from this deployment.
      </SecretDialog>
    );
  return (
    <>
      <SpaceBetween size="m">
        <Header variant="h1">{stored === undefined ? 'New subscription' : `Edit subscription ${stored.name}`}</Header>
        <SubscriptionForm
          fields={fields}
          errors={errors}
          stored={stored}
          onChange={(changed) => {
            setFields((before) => ({ ...before, ...changed }));
            setErrors({});
          }}
        />
        {save.error && (
          <WriteFailure
            error={save.error}
            rejected="The subscription was not saved"
            done="the subscription was saved"
            next="The list of subscriptions shows it. If a secret was generated, edit it to generate a new one."
          />
        )}
      </SpaceBetween>
      <div className="form-actions">
        <SpaceBetween size="xs" direction="horizontal">
          <Button variant="primary" loading={save.isPending} onClick={submit}>
            {stored === undefined ? 'Create subscription' : 'Save'}
          </Button>
          <Button
            variant="link"
            onClick={() => (stored === undefined ? void navigate('/subscriptions') : open(stored))}
          >
            Discard
          </Button>
        </SpaceBetween>
      </div>
    </>
  );
}
