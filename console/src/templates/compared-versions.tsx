import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { TextChange } from '../form/text-change.tsx';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { type Template, templateQuery } from './template-queries.ts';
import { templateChanges } from './template-texts.ts';

/** What differs between two versions of a template. The earlier one is the first. */
export function ComparedVersions({ template, compared }: { template: Template; compared: number }) {
  const other = useQuery(templateQuery(template.name, compared));
  if (other.error && !other.data)
    return <PageError error={other.error} what={`Version ${compared}`} retry={() => void other.refetch()} />;
  if (!other.data) return <PageLoading what={`version ${compared}`} />;
  const [before, after] = compared < template.version ? [other.data, template] : [template, other.data];
  const changes = templateChanges(before, after);
  return (
    <Container
      header={<Header variant="h2">{`Changes from version ${before.version} to version ${after.version}`}</Header>}
    >
      <SpaceBetween size="m">
        {changes.length === 0 && <Box>The versions have the same content.</Box>}
        {changes.map((change) => (
          <TextChange key={change.label} {...change} />
        ))}
      </SpaceBetween>
    </Container>
  );
}
