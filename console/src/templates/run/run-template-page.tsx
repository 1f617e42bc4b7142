import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearchParams } from 'react-router';
import { useMayAct } from '../../api/session.ts';
import { templatePath } from '../../form/template-path.ts';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { CreationFailure } from '../../jobs/form/creation-failure.tsx';
import { apiOrigin, curlLine } from '../../jobs/form/curl-line.ts';
import { promptqLine } from '../../jobs/form/promptq-line.ts';
import { SettingsFields } from '../../jobs/form/settings-fields.tsx';
import { WhereFields } from '../../jobs/form/where-fields.tsx';
import { jobQuery } from '../../jobs/queries/job-query.ts';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { type Template, templateQuery } from '../template-queries.ts';
import { ParameterField } from './parameter-field.tsx';
import { RenderedTemplate } from './rendered-template.tsx';
import { typedValues } from './template-values.ts';
import { useRunTemplate } from './use-run-template.ts';

/**
 * The form of a job of a template, made from its parameters. `?version=N` uses another version than the newest, and
 * `?from=JOB` fills in the values of a job.
 */
export function RunTemplatePage() {
  const { name = '' } = useParams();
  usePageTitle(`Run template ${name}`);
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const version = Number(parameters.get('version')) || undefined;
  const template = useQuery(templateQuery(name, version));
  const job = useQuery({ ...jobQuery(from ?? ''), enabled: from !== null, refetchInterval: false });
  if (template.error && !template.data)
    return <PageError error={template.error} what={`The template ${name}`} retry={() => void template.refetch()} />;
  if (!template.data || (from !== null && job.isPending)) return <PageLoading what="the template" />;
  const initial = typedValues(job.data?.template?.parameters ?? {});
  return <RunTemplate key={`${template.data.version} ${from}`} template={template.data} opened={{ initial, from }} />;
}

interface RunTemplateProps {
  readonly template: Template;
  readonly opened: Parameters<typeof useRunTemplate>[1];
}

function RunTemplate({ template, opened }: RunTemplateProps) {
  const mayAct = useMayAct();
  const run = useRunTemplate(template, opened);
  const { errors, create, preview } = run;
  useSubmitKey(() => mayAct && !create.isPending && run.submit(false));
  const isRejected = Object.keys(errors).length > 0;
  return (
    <>
      <SpaceBetween size="m">
        <Title template={template} request={run.request} />
        {!mayAct && (
          <Alert type="info" header="Your role is read-only">
            You can prepare a job here and copy it as a command. An operator or admin can create it.
          </Alert>
        )}
        <Values template={template} run={run} />
        <Settings template={template} run={run} />
        {preview.data && <RenderedTemplate rendered={preview.data} />}
        {preview.error && !isRejected && (
          <Alert type="error" header="There is no preview">
            {preview.error.message}
          </Alert>
        )}
        {create.error && !isRejected && <CreationFailure error={create.error} />}
        {isRejected && (
          <div role="alert">
            <Box color="text-status-error">{`Check ${Object.keys(errors).map(labelOf).join(', ')}.`}</Box>
          </div>
        )}
      </SpaceBetween>
      <div className="form-actions">
        <SpaceBetween size="xs" direction="horizontal">
          {mayAct && (
            <>
              <Button
                variant="primary"
                loading={create.isPending && create.variables === false}
                disabled={create.isPending}
                onClick={() => run.submit(false)}
              >
                Queue job
              </Button>
              <Button
                loading={create.isPending && create.variables}
                disabled={create.isPending}
                onClick={() => run.submit(true)}
              >
                Save as draft
              </Button>
            </>
          )}
          <Button loading={preview.isPending} onClick={run.show}>
            Preview
          </Button>
        </SpaceBetween>
      </div>
    </>
  );
}

type Run = ReturnType<typeof useRunTemplate>;

function Title({ template, request }: { template: Template; request: Run['request'] }) {
  const { name, version, description } = template;
  return (
    <Header
      variant="h1"
      description={
        <>
          {description} <Link to={templatePath(name, version)}>Version {version}</Link>
        </>
      }
      actions={
        <SpaceBetween size="xs" direction="horizontal">
          <CopyToClipboard
            copyButtonText="Copy as promptq"
            textToCopy={promptqLine(apiOrigin(window.location), request)}
            copySuccessText="Copied. Run promptq login first."
            copyErrorText="Copy failed"
          />
          <CopyToClipboard
            copyButtonText="Copy as curl"
            textToCopy={curlLine(apiOrigin(window.location), { method: 'POST', path: '/jobs', body: request })}
            copySuccessText="Copied. Set PROMPTQ_TOKEN to an API token first."
            copyErrorText="Copy failed"
          />
        </SpaceBetween>
      }
    >
      Run template {name}
    </Header>
  );
}

function Values({ template, run }: { template: Template; run: Run }) {
  return (
    <Container header={<Header variant="h2">Parameters</Header>}>
      <SpaceBetween size="m">
        {template.parameters.length === 0 && <Box color="text-body-secondary">The template has no parameters.</Box>}
        {run.errors.parameters !== undefined && <Box color="text-status-error">{run.errors.parameters}</Box>}
        {template.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={run.values[parameter.name] ?? ''}
            error={run.errors[`parameters.${parameter.name}`]}
            onChange={(value) => run.changeValue(parameter.name, value)}
          />
        ))}
      </SpaceBetween>
    </Container>
  );
}

/** The template's settings, which the job can replace. */
function Settings({ template, run }: { template: Template; run: Run }) {
  const { job, errors, changeJob } = run;
  return (
    <Container
      header={
        <Header variant="h2" description="From the template. Changes are for this job only.">
          Settings
        </Header>
      }
    >
      <SpaceBetween size="m">
        <WhereFields fields={job} errors={errors} onChange={changeJob} withProject />
        <SettingsFields fields={job} errors={errors} onChange={changeJob} />
        <FormField label="Title" description="Shown instead of the prompt in lists." errorText={errors.title}>
          <Input
            value={job.title}
            placeholder={template.title ?? ''}
            onChange={({ detail }) => changeJob({ title: detail.value })}
          />
        </FormField>
        <FormField label="Tags" description="Comma-separated." errorText={errors.tags}>
          <Input value={job.tags} onChange={({ detail }) => changeJob({ tags: detail.value })} />
        </FormField>
      </SpaceBetween>
    </Container>
  );
}

const labelOf = (field: string) => field.replace(/^parameters\./, '').replaceAll('_', ' ');
