import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useMayAct, useMayAdminister } from '../api/session.ts';
import { ConfiguredActions } from '../catalog/lists/configured-actions.tsx';
import { NEW_TEMPLATE, templatePath } from '../form/template-path.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { lazyPart } from '../page/lazy-part.ts';
import { LinkButton } from '../page/link-button.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { Part } from '../page/part.tsx';
import { RoleNote } from '../page/role-note.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListPage } from '../tables/list-page.tsx';
import { type Template, templatesQuery } from './template-queries.ts';

const DeleteTemplate = lazyPart(() => import('./delete-template.tsx'), 'DeleteTemplate');

/** The templates: prompts with parameters, from which jobs are created. */
export function TemplatesPage() {
  usePageTitle('Templates');
  const templates = useInfiniteQuery(templatesQuery);
  const mayAct = useMayAct();
  const mayAdminister = useMayAdminister();
  const [toDelete, setToDelete] = useState<string>();
  const actions: TableProps.ColumnDefinition<Template> = {
    id: 'actions',
    header: 'Actions',
    minWidth: 165,
    cell: ({ name }) => <TemplateActions name={name} onDelete={mayAdminister ? () => setToDelete(name) : undefined} />,
  };
  return (
    <>
      <ListPage
        title="Templates"
        description={
          <>
            A template is a prompt with parameters. A job is created from it by filling in a form.
            <RoleNote needs="admin" what="templates" />
          </>
        }
        actions={<ConfiguredActions create="Create template" path={NEW_TEMPLATE} />}
        list={templates}
        columns={mayAct ? [...COLUMNS, actions] : COLUMNS}
        trackBy={({ name }) => name}
        empty={
          <EmptyList
            title="No templates yet"
            action={mayAdminister && <LinkButton to={NEW_TEMPLATE}>Create template</LinkButton>}
          >
            {mayAdminister ? 'Create one, or import a configuration.' : 'An admin can create one.'}
          </EmptyList>
        }
      />
      {toDelete !== undefined && (
        <Part>
          <DeleteTemplate name={toDelete} onDone={() => setToDelete(undefined)} />
        </Part>
      )}
    </>
  );
}

const COLUMNS: TableProps.ColumnDefinition<Template>[] = [
  {
    id: 'name',
    header: 'Template',
    isRowHeader: true,
    minWidth: 140,
    cell: ({ name }) => (
      <Link className="job-link small-target" to={templatePath(name)}>
        {name}
      </Link>
    ),
  },
  { id: 'description', header: 'Description', minWidth: 260, cell: ({ description }) => description ?? '-' },
  {
    id: 'parameters',
    header: 'Parameters',
    minWidth: 180,
    cell: ({ parameters }) => parameters.map(({ name }) => name).join(', ') || '-',
  },
  { id: 'version', header: 'Version', minWidth: 80, cell: ({ version }) => version },
  { id: 'updated', header: 'Saved', minWidth: 110, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
];

function TemplateActions({ name, onDelete }: { name: string; onDelete: (() => void) | undefined }) {
  const navigate = useNavigate();
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button
        variant="inline-link"
        ariaLabel={`Run ${name}`}
        onClick={() => void navigate(`${templatePath(name)}/run`)}
      >
        Run
      </Button>
      {onDelete && (
        <Button
          variant="inline-link"
          ariaLabel={`Edit ${name}`}
          onClick={() => void navigate(`${templatePath(name)}/edit`)}
        >
          Edit
        </Button>
      )}
      {onDelete && (
        <Button variant="inline-link" ariaLabel={`Delete ${name}`} onClick={onDelete}>
          Delete
        </Button>
      )}
    </SpaceBetween>
  );
}
