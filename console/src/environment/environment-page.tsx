import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { environmentQuery } from './environment-query.ts';
import { Limits } from './limits.tsx';
import { PlatformFacts } from './platform-facts.tsx';
import { ServiceFacts } from './service-facts.tsx';
import { Workers } from './workers.tsx';

/** The deployment: service, workers and limits. */
export function EnvironmentPage() {
  usePageTitle('Environment');
  const environment = useQuery(environmentQuery);
  if (environment.error && !environment.data)
    return <PageError error={environment.error} what="The environment" retry={() => void environment.refetch()} />;
  if (!environment.data) return <PageLoading what="the environment" />;
  return (
    <SpaceBetween size="l">
      <Header variant="h1">Environment</Header>
      <Workers hosts={environment.data.hosts} />
      <ServiceFacts environment={environment.data} />
      <PlatformFacts />
      <Limits limits={environment.data.service.limits} />
    </SpaceBetween>
  );
}
