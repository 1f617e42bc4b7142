import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { useMayAct } from '../../api/session.ts';
import { MissingEntry } from '../../catalog/edit/missing-entry.tsx';
import { SecretDialog } from '../../feedback/secret-dialog.tsx';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { automationPath } from '../../page/automation-link.tsx';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { type Automation, automationQuery } from '../automation-queries.ts';
import { HookAddress } from '../hook/hook-details.tsx';
import { AutomationForm } from './automation-form.tsx';
import { useAutomationForm } from './use-automation-form.ts';
import '../../jobs/form/new-job.css';

/** Creates an automation, or edits the one in the address. */
export function EditAutomationPage() {
  const { id } = useParams();
  usePageTitle(id === undefined ? 'New automation' : 'Edit automation');
  return id === undefined ? <Editor stored={undefined} /> : <StoredAutomation key={id} id={id} />;
}

function StoredAutomation({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({ ...automationQuery(id), refetchInterval: false });
  if (error instanceof ApiError && error.status === 404)
    return <MissingEntry what="automation" name={id} list="automations" />;
  if (error && !data) return <PageError error={error} what="The automation" retry={() => void refetch()} />;
  if (!data) return <PageLoading what="the automation" />;
  return <Editor stored={data} />;
}

function Editor({ stored }: { stored: Automation | undefined }) {
  const navigate = useNavigate();
  const mayAct = useMayAct();
  const { fields, errors, save, template, change, submit, discard } = useAutomationForm(stored);
  useSubmitKey(() => mayAct && !save.isPending && submit());
  const faults = Object.keys(errors);
  const made = save.data;
  return (
    <>
      <SpaceBetween size="m">
        <Header variant="h1">{stored === undefined ? 'New automation' : `Edit automation ${stored.name}`}</Header>
        {!mayAct && (
          <Alert type="info" header="Your role is read-only">
            An operator or admin can save an automation.
          </Alert>
        )}
        <AutomationForm fields={fields} errors={errors} onChange={change} stored={stored} template={template.data} />
        {template.error && (
          <Alert type="error" header="The template could not be loaded">
            {template.error.message}
          </Alert>
        )}
        {save.error && faults.length === 0 && (
          <WriteFailure
            error={save.error}
            rejected="The automation was not saved"
            done="the automation was saved"
            next="The list of automations shows it."
          />
        )}
        {faults.length > 0 && (
          <div role="alert">
            <Box color="text-status-error">
              The automation was not saved: check {faults.map((name) => name.replaceAll('_', ' ')).join(', ')}.
            </Box>
          </div>
        )}
      </SpaceBetween>
      {mayAct && (
        <div className="form-actions">
          <SpaceBetween size="xs" direction="horizontal">
            <Button
              variant="primary"
              loading={save.isPending}
              disabled={fields.template !== '' && template.data === undefined}
              onClick={submit}
            >
              {stored === undefined ? 'Create automation' : 'Save'}
            </Button>
            <Button
              variant="link"
              onClick={() => {
                discard();
                void navigate(stored === undefined ? '/automations' : automationPath(stored.id));
              }}
            >
              Discard
            </Button>
          </SpaceBetween>
        </div>
      )}
      {made?.trigger.hook?.secret != null && (
        <SecretDialog
          header="The hook was created"
          what="secret"
          secret={made.trigger.hook.secret}
          onDone={() => void navigate(automationPath(made.id))}
        >
          Enter it at the sender, with the address <HookAddress path={made.trigger.hook.path} />
        </SecretDialog>
      )}
    </>
  );
}
