import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useSearchParams } from 'react-router';
import { useMayAct } from '../../api/session.ts';
import { notify } from '../../feedback/notices.tsx';
import { fieldErrorOf } from '../../form/issue-sentence.ts';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { CreationFailure } from './creation-failure.tsx';
import { apiOrigin, curlLine } from './curl-line.ts';
import { creationOf, type JobErrors, type JobFields } from './job-fields.ts';
import { JobForm } from './job-form.tsx';
import { promptqLine } from './promptq-line.ts';
import { TemplateChoice } from './template-choice.tsx';
import { useNewJob } from './use-new-job.ts';
import './new-job.css';

/** Creates a job, from scratch or with `?from=ID` from an existing one. Each address has its own form. */
export function NewJobPage() {
  usePageTitle('New job');
  const [parameters] = useSearchParams();
  return <NewJob key={parameters.toString()} />;
}

function NewJob() {
  const mayAct = useMayAct();
  const job = useNewJob();
  const { fields, errors, create, model } = job;
  useSubmitKey(() => mayAct && !create.isPending && job.submit(false));
  if (model.isAwaited) return <PageLoading what="the job to start from" />;
  return (
    <>
      <SpaceBetween size="m">
        <Header variant="h1" actions={<FormActions fields={fields} />}>
          New job
        </Header>
        {model.error && <Alert type="warning">{`Could not load the job to start from: ${model.error.message}`}</Alert>}
        {!mayAct && (
          <Alert type="info" header="Your role is read-only">
            You can prepare a job here and copy it as a command. An operator or admin can create it.
          </Alert>
        )}
        <JobForm fields={fields} errors={errors} onChange={job.change} />
        {create.error && fieldErrorOf(create.error.message) === undefined && <CreationFailure error={create.error} />}
        {Object.keys(errors).length > 0 && (
          <div role="alert">
            <Box color="text-status-error">The job was not created: {invalidLabels(errors)}.</Box>
          </div>
        )}
      </SpaceBetween>
      {mayAct && (
        <div className="form-actions">
          <CreateButtons {...job} />
        </div>
      )}
    </>
  );
}

/** The form of a template instead, and this one as a command that creates the job. */
function FormActions({ fields }: { readonly fields: JobFields }) {
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <TemplateChoice />
      <CopyToClipboard
        copyButtonText="Copy as promptq"
        textToCopy={promptqLine(apiOrigin(window.location), creationOf(fields))}
        copySuccessText="Copied. Run promptq login first."
        copyErrorText="Copy failed"
      />
      <CopyToClipboard
        copyButtonText="Copy as curl"
        textToCopy={curlLine(apiOrigin(window.location), { method: 'POST', path: '/jobs', body: creationOf(fields) })}
        copySuccessText="Copied. Set PROMPTQ_TOKEN to an API token first."
        copyErrorText="Copy failed"
      />
    </SpaceBetween>
  );
}

function CreateButtons({ create, submit, clear }: Pick<ReturnType<typeof useNewJob>, 'create' | 'submit' | 'clear'>) {
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button
        variant="primary"
        loading={create.isPending && create.variables === false}
        disabled={create.isPending}
        onClick={() => submit(false)}
      >
        Queue job
      </Button>
      <Button loading={create.isPending && create.variables} disabled={create.isPending} onClick={() => submit(true)}>
        Save as draft
      </Button>
      <Button
        variant="link"
        onClick={() => {
          const undo = clear();
          const action = <Button onClick={undo}>Undo</Button>;
          notify({ type: 'info', header: 'The form was cleared', action });
        }}
      >
        Clear the form
      </Button>
    </SpaceBetween>
  );
}

/** `check Prompt, Priority`: the invalid fields by label. */
function invalidLabels(errors: JobErrors): string {
  const names = Object.keys(errors).map((name) => name.replaceAll('_', ' '));
  return `check ${names.join(', ')}`;
}
