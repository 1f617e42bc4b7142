import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation } from '@tanstack/react-query';
import { notify } from '../feedback/notices.tsx';
import { AdminsOnly } from '../page/admins-only.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { downloadExport } from './config-queries.ts';
import { ImportForm } from './import-form.tsx';

/** Imports and exports rules, profiles and templates as one document. */
export function ConfigurationPage() {
  usePageTitle('Configuration');
  return (
    <AdminsOnly title="Configuration">
      <Configuration />
    </AdminsOnly>
  );
}

function Configuration() {
  const download = useMutation({
    mutationFn: downloadExport,
    onError: (error) => notify({ type: 'error', header: 'The export failed', content: error.message }),
  });
  return (
    <SpaceBetween size="l">
      <Header
        variant="h1"
        description="Rules, profiles and templates as one document. An import applies completely or not at all. It keeps entries that it does not name."
        actions={
          <Button iconName="download" loading={download.isPending} onClick={() => download.mutate()}>
            Export
          </Button>
        }
      >
        Configuration
      </Header>
      <ImportForm />
    </SpaceBetween>
  );
}
