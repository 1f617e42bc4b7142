import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { EntryEditor } from '../../catalog/edit/entry-editor.tsx';
import { MissingEntry } from '../../catalog/edit/missing-entry.tsx';
import { templatesQuery } from '../../form/catalog-choices.ts';
import { AdminsOnly } from '../../page/admins-only.tsx';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { templateQuery } from '../template-queries.ts';
import { TemplateForm } from './template-form.tsx';
import { TEMPLATE_KIND, templateFieldsOf } from './template-kind.ts';

/** Creates a template, or edits the newest version of the one in the address. */
export function EditTemplatePage() {
  const { name } = useParams();
  usePageTitle(name === undefined ? 'New template' : 'Edit template');
  return (
    <AdminsOnly title="Templates">
      {name === undefined ? <NewTemplate /> : <StoredTemplate key={name} name={name} />}
    </AdminsOnly>
  );
}

function NewTemplate() {
  const templates = useQuery(templatesQuery);
  if (templates.error && !templates.data)
    return <PageError error={templates.error} what="The templates" retry={() => void templates.refetch()} />;
  if (!templates.data) return <PageLoading what="the templates" />;
  return (
    <EntryEditor
      kind={TEMPLATE_KIND}
      opened={templateFieldsOf(undefined)}
      present={undefined}
      taken={templates.data.map((one) => one.name)}
      reload={async () => await templates.refetch({ throwOnError: true })}
    >
      {(part) => <TemplateForm {...part} />}
    </EntryEditor>
  );
}

function StoredTemplate({ name }: { name: string }) {
  const template = useQuery(templateQuery(name));
  if (template.error instanceof ApiError && template.error.status === 404)
    return <MissingEntry what="template" name={name} list="templates" />;
  if (template.error && !template.data)
    return <PageError error={template.error} what="The template" retry={() => void template.refetch()} />;
  if (!template.data) return <PageLoading what="the template" />;
  return (
    <EntryEditor
      kind={TEMPLATE_KIND}
      opened={templateFieldsOf(template.data)}
      present={{ source: 'imported', updated_at: template.data.updated_at }}
      taken={[]}
      reload={async () => await template.refetch({ throwOnError: true })}
    >
      {(part) => <TemplateForm {...part} />}
    </EntryEditor>
  );
}
