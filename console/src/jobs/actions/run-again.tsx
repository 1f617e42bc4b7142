import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { notify } from '../../feedback/notices.tsx';
import { environmentQuery, profilesQuery } from '../../form/catalog-choices.ts';
import { useIdempotencyKeys } from '../../form/use-idempotency-keys.ts';
import { creationFailure } from '../form/creation-failure.tsx';
import { creationOf, fieldsOf } from '../form/job-fields.ts';
import type { Job } from '../queries/job-query.ts';

/** Cache lifetime (ms) of the known models. */
const MODELS_STALE_MS = 300_000;
/** Maximum models that are offered. The form accepts any. */
const MAX_MODELS = 10;

/** Creates a new job from this one, in the form or directly with another model. */
export function RunAgain({ job }: { job: Job }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const models = useOtherModels(job);
  const keys = useIdempotencyKeys();
  const run = useMutation({
    mutationFn: async (model: string) => {
      const given = { ...creationOf({ ...fieldsOf(job), model }), copied_from: job.id };
      const body = { ...given, idempotency_key: await keys.of(given) };
      return await dataOf(api.POST('/api/v1/jobs', { body: body as Schemas['JobCreation'] }));
    },
    onSuccess: async ({ id }) => {
      keys.renew();
      await client.invalidateQueries({ queryKey: ['jobs'] });
      await navigate(`/jobs/${id}`);
    },
    onError: (error) => notify(creationFailure(error)),
  });
  const text = 'Run again with changes';
  const openForm = () => void navigate(`/jobs/new?from=${job.id}`);
  if (models.length === 0) return <Button onClick={openForm}>{text}</Button>;
  return (
    <ButtonDropdown
      ariaLabel="Run again with another model"
      mainAction={{ text, onClick: openForm }}
      loading={run.isPending}
      loadingText="Creating the job"
      items={models.map((model) => ({ id: model, text: `Run again with ${model}` }))}
      onItemClick={({ detail }) => run.mutate(detail.id)}
    />
  );
}

/** The models known for this job's agent, except the one it used. Empty for a script. */
function useOtherModels({ agent, model, model_used }: Job): string[] {
  const enabled = agent !== null && agent !== 'shell';
  const environment = useQuery({ ...environmentQuery, enabled, staleTime: MODELS_STALE_MS });
  const profiles = useQuery({ ...profilesQuery, enabled, staleTime: MODELS_STALE_MS });
  if (!environment.data || !profiles.data) return [];
  const named = (isOwn: boolean) =>
    profiles.data.filter((one) => (one.agent === agent) === isOwn).map((one) => one.model);
  const [own, others] = [new Set(named(true)), new Set(named(false))];
  return environment.data.models
    .filter((name) => name !== (model_used ?? model) && (own.has(name) || !others.has(name)))
    .slice(0, MAX_MODELS);
}
