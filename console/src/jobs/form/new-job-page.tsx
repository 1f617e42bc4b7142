import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { jobCreation } from '../../../../lib/contract/schemas/job-creation.ts';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { useMayAct } from '../../api/session.ts';
import { notify } from '../../feedback/notices.tsx';
import { fieldErrors } from '../../form/field-errors.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { fieldErrorOf } from '../../form/issue-sentence.ts';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { jobQuery } from '../queries/job-query.ts';
import { apiOrigin, curlLine } from './curl-line.ts';
import { exampleFields } from './examples.ts';
import { creationOf, fieldsOf, type JobErrors, type JobFields, NO_FIELDS } from './job-fields.ts';
import { JobForm } from './job-form.tsx';
import { promptqLine } from './promptq-line.ts';
import { storedForm, storeForm } from './stored-form.ts';

/** Creates a job, from scratch or with `?from=ID` from an existing one. */
export function NewJobPage() {
  usePageTitle('New job');
  const navigate = useNavigate();
  const client = useQueryClient();
  const mayAct = useMayAct();
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const example = exampleFields(parameters.get('example'));
  const isFilled = from !== null || example !== undefined;
  const model = useQuery({ ...jobQuery(from ?? ''), enabled: from !== null, refetchInterval: false });
  const [fields, setFields] = useState<JobFields>(() => (isFilled ? (example ?? NO_FIELDS) : storedForm()));
  const [errors, setErrors] = useState<JobErrors>({});
  const [filledFrom, setFilledFrom] = useState<string>();
  if (model.data && filledFrom !== from && from !== null) {
    setFilledFrom(from);
    setFields(fieldsOf(model.data));
  }
  // A copy of a job, or an example, does not overwrite unsent input.
  useEffect(() => {
    if (!isFilled) storeForm(fields);
  }, [fields, isFilled]);
  const create = useMutation({
    mutationFn: async (draft: boolean) => {
      const origin = model.data && { copied_from: model.data.id };
      const body = { ...creationOf(fields), ...(draft && { draft }), ...origin };
      return await dataOf(api.POST('/api/v1/jobs', { body: body as Schemas['JobCreation'] }));
    },
    onSuccess: async ({ id }) => {
      if (!isFilled) storeForm(undefined);
      await client.invalidateQueries({ queryKey: ['jobs'] });
      await navigate(`/jobs/${id}`);
    },
    onError: ({ message }) => {
      const fieldError = fieldErrorOf(message);
      if (fieldError === undefined) return;
      setErrors({ [fieldError.field]: fieldError.sentence });
      focusFirstError();
    },
  });
  const submit = (draft: boolean) => {
    const found = fieldErrors(jobCreation, creationOf(fields));
    setErrors(found);
    if (Object.keys(found).length === 0) create.mutate(draft);
    else focusFirstError();
  };
  useSubmitKey(() => mayAct && !create.isPending && submit(false));
  if (from !== null && model.isPending) return <PageLoading what="the job to start from" />;
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        actions={
          <SpaceBetween size="xs" direction="horizontal">
            <CopyToClipboard
              copyButtonText="Copy as promptq"
              textToCopy={promptqLine(apiOrigin(window.location), creationOf(fields))}
              copySuccessText="Copied. Run promptq login first."
              copyErrorText="Copy failed"
            />
            <CopyToClipboard
              copyButtonText="Copy as curl"
              textToCopy={curlLine(apiOrigin(window.location), {
                method: 'POST',
                path: '/jobs',
                body: creationOf(fields),
              })}
              copySuccessText="Copied. Set PROMPTQ_TOKEN to an API token first."
              copyErrorText="Copy failed"
            />
          </SpaceBetween>
        }
      >
        New job
      </Header>
      {model.error && <Alert type="warning">{`Could not load the job to start from: ${model.error.message}`}</Alert>}
      {!mayAct && (
        <Alert type="info" header="Your role is read-only">
          You can prepare a job here and copy it as a command. An operator or admin can create it.
        </Alert>
      )}
      <JobForm
        fields={fields}
        errors={errors}
        onChange={(change) => {
          setFields((before) => ({ ...before, ...change }));
          setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in change))));
        }}
      />
      {create.error && fieldErrorOf(create.error.message) === undefined && (
        <Alert type="error" header="The job was not created">
          {create.error.message}
        </Alert>
      )}
      {Object.keys(errors).length > 0 && (
        <div role="alert">
          <Box color="text-status-error">The job was not created: {invalidLabels(errors)}.</Box>
        </div>
      )}
      {mayAct && (
        <SpaceBetween size="xs" direction="horizontal">
          <Button
            variant="primary"
            loading={create.isPending && create.variables === false}
            disabled={create.isPending}
            onClick={() => submit(false)}
          >
            Queue job
          </Button>
          <Button
            loading={create.isPending && create.variables}
            disabled={create.isPending}
            onClick={() => submit(true)}
          >
            Save as draft
          </Button>
          <Button
            variant="link"
            onClick={() => {
              const cleared = fields;
              setFields(NO_FIELDS);
              setErrors({});
              create.reset();
              const undo = <Button onClick={() => setFields(cleared)}>Undo</Button>;
              notify({ type: 'info', header: 'The form was cleared', action: undo });
            }}
          >
            Clear the form
          </Button>
        </SpaceBetween>
      )}
    </SpaceBetween>
  );
}

/** `check Prompt, Priority`: the invalid fields by label. */
function invalidLabels(errors: JobErrors): string {
  const names = Object.keys(errors).map((name) => name.replaceAll('_', ' '));
  return `check ${names.join(', ')}`;
}
