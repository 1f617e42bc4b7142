import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { jobCreation } from '../../../lib/contract/schemas/job.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { useMayAct } from '../api/session.ts';
import { fieldFaults, refusedField } from '../form/field-faults.ts';
import { PageLoading } from '../layout/page-loading.tsx';
import { usePageTitle } from '../layout/page-title.ts';
import { apiOrigin, curlLine } from './form/curl-line.ts';
import { creationOf, fieldsOf, type JobFaults, type JobFields, NO_FIELDS } from './form/job-fields.ts';
import { JobForm } from './form/job-form.tsx';
import { keepForm, keptForm } from './form/kept-form.ts';
import { jobQuery } from './job/job-query.ts';

/** Creates a job: from nothing, or with `?from=ID` from one that there is. */
export function NewJobPage() {
  usePageTitle('New job');
  const navigate = useNavigate();
  const client = useQueryClient();
  const mayAct = useMayAct();
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const model = useQuery({ ...jobQuery(from ?? ''), enabled: from !== null, refetchInterval: false });
  const [fields, setFields] = useState<JobFields>(() => (from === null ? keptForm() : NO_FIELDS));
  const [faults, setFaults] = useState<JobFaults>({});
  const [filledFrom, setFilledFrom] = useState<string>();
  if (model.data && filledFrom !== from && from !== null) {
    setFilledFrom(from);
    setFields(fieldsOf(model.data));
  }
  // A copy of another job leaves alone what was begun before it.
  useEffect(() => {
    if (from === null) keepForm(fields);
  }, [fields, from]);
  const create = useMutation({
    mutationFn: async (draft: boolean) => {
      const body = { ...creationOf(fields), ...(draft && { draft }) };
      return await dataOf(api.POST('/api/v1/jobs', { body: body as Schemas['JobCreation'] }));
    },
    onSuccess: async ({ id }) => {
      if (from === null) keepForm(undefined);
      await client.invalidateQueries({ queryKey: ['jobs'] });
      await navigate(`/jobs/${id}`);
    },
    onError: ({ message }) => {
      const field = refusedField(message);
      if (field !== undefined) setFaults({ [field]: message });
    },
  });
  const submit = (draft: boolean) => {
    const found = fieldFaults(jobCreation, creationOf(fields));
    setFaults(found);
    if (Object.keys(found).length === 0) create.mutate(draft);
  };
  if (from !== null && model.isPending) return <PageLoading what="the job to start from" />;
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        actions={
          <CopyToClipboard
            copyButtonText="Copy as curl"
            textToCopy={curlLine(apiOrigin(window.location), creationOf(fields))}
            copySuccessText="Copied. Set PROMPTQ_TOKEN to an API token first."
            copyErrorText="Could not be copied"
          />
        }
      >
        New job
      </Header>
      {model.error && <Alert type="warning">{`The job to start from: ${model.error.message}`}</Alert>}
      <JobForm
        fields={fields}
        faults={faults}
        onChange={(change) => {
          setFields((before) => ({ ...before, ...change }));
          setFaults((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in change))));
        }}
      />
      {create.error && (
        <Alert type="error" header="The job was not created">
          {create.error.message}
        </Alert>
      )}
      {Object.keys(faults).length > 0 && (
        <div role="alert">
          <Box color="text-status-error">Some fields above need a change: {Object.keys(faults).join(', ')}.</Box>
        </div>
      )}
      {mayAct ? (
        <SpaceBetween size="xs" direction="horizontal">
          <Button
            variant="primary"
            loading={create.isPending && create.variables === false}
            disabled={create.isPending}
            onClick={() => submit(false)}
          >
            Queue it
          </Button>
          <Button
            loading={create.isPending && create.variables}
            disabled={create.isPending}
            onClick={() => submit(true)}
          >
            Keep as draft
          </Button>
          <Button
            variant="link"
            onClick={() => {
              setFields(NO_FIELDS);
              setFaults({});
              create.reset();
            }}
          >
            Clear the form
          </Button>
        </SpaceBetween>
      ) : (
        <Alert>Your role only reads: an operator can create jobs.</Alert>
      )}
    </SpaceBetween>
  );
}
