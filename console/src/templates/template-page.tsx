import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../api/api-error.ts';
import { useMayAct, useMayAdminister } from '../api/session.ts';
import { MissingEntry } from '../catalog/edit/missing-entry.tsx';
import { templatePath } from '../form/template-path.ts';
import { lazyPart } from '../page/lazy-part.ts';
import { LinkButton } from '../page/link-button.tsx';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { Part } from '../page/part.tsx';
import { LoadMore } from '../tables/load-more.tsx';
import { ComparedVersions } from './compared-versions.tsx';
import { TemplateContent } from './template-content.tsx';
import { templateQuery, versionsQuery } from './template-queries.ts';
import { VersionFields } from './version-fields.tsx';

const DeleteTemplate = lazyPart(() => import('./delete-template.tsx'), 'DeleteTemplate');

/**
 * A template: its newest version, the one that `?version=N` names, or its difference from `?with=N`. The versions of a
 * deleted template can still be read.
 */
export function TemplatePage() {
  const { name = '' } = useParams();
  usePageTitle(`Template ${name}`);
  const [parameters] = useSearchParams();
  const versions = useInfiniteQuery(versionsQuery(name));
  const newest = useQuery(templateQuery(name));
  const known = versions.data?.pages.flatMap(({ items }) => items) ?? [];
  const isDeleted = isMissing(newest.error);
  const shown =
    numberOf(parameters.get('version')) ?? newest.data?.version ?? (isDeleted ? known[0]?.version : undefined);
  const version = useQuery({ ...templateQuery(name, shown), enabled: shown !== undefined });
  const error = versions.error ?? (isDeleted ? null : newest.error) ?? version.error;
  if (isMissing(versions.error)) return <MissingEntry what="template" name={name} list="templates" />;
  if (error && !version.data)
    return <PageError error={error} what={`The template ${name}`} retry={() => void version.refetch()} />;
  if (!version.data || !versions.data) return <PageLoading what="the template" />;
  const template = version.data;
  const compared = numberOf(parameters.get('with'));
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description={template.description ?? undefined}
        actions={<TemplateActions name={name} version={template.version} isDeleted={isDeleted} />}
      >
        {name}
      </Header>
      {isDeleted && (
        <Alert type="warning" header="This template was deleted">
          No more jobs can be created from it. Its versions can still be read.
        </Alert>
      )}
      {newest.data && newest.data.version !== template.version && (
        <Alert type="info">
          This is version {template.version}. The newest is{' '}
          <Link to={templatePath(name)}>version {newest.data.version}</Link>.
        </Alert>
      )}
      <VersionFields versions={known} shown={template.version} compared={compared} />
      <LoadMore list={versions} />
      {compared === undefined ? (
        <TemplateContent template={template} />
      ) : (
        <ComparedVersions template={template} compared={compared} />
      )}
    </SpaceBetween>
  );
}

interface TemplateActionsProps {
  readonly name: string;
  readonly version: number;
  readonly isDeleted: boolean;
}

function TemplateActions({ name, version, isDeleted }: TemplateActionsProps) {
  const navigate = useNavigate();
  const mayAct = useMayAct();
  const mayAdminister = useMayAdminister();
  const [deleting, setDeleting] = useState(false);
  const path = templatePath(name);
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <LinkButton to={`/jobs?${new URLSearchParams({ template: name })}`}>Show jobs</LinkButton>
      {mayAdminister && !isDeleted && <Button onClick={() => setDeleting(true)}>Delete</Button>}
      {mayAdminister && !isDeleted && <LinkButton to={`${path}/edit`}>Edit</LinkButton>}
      {mayAct && !isDeleted && (
        <LinkButton primary to={`${path}/run?version=${version}`}>
          Run template
        </LinkButton>
      )}
      {deleting && (
        <Part>
          <DeleteTemplate
            name={name}
            onDone={(isDone) => {
              setDeleting(false);
              if (isDone) void navigate('/templates');
            }}
          />
        </Part>
      )}
    </SpaceBetween>
  );
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}
