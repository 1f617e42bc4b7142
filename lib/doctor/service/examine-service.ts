import { examine, type Finding, warning } from '../finding.ts';
import { checkAccount, checkProfiles } from './check-account.ts';
import { checkQuestions } from './check-questions.ts';
import { checkService } from './check-service.ts';
import { checkWaiting } from './check-waiting.ts';
import { awaitWorkers, checkWorkers } from './check-workers.ts';
import type { Service } from './service.ts';
import { type TrialJob, tryJob } from './try-job.ts';

const SEE_LOG = 'Look for the request in the log of the function that answers this path.';

/** Checks a service from a client's view. `job`: also runs a small one. */
export async function examineService(
  service: Service,
  options: { readonly version: string; readonly job: TrialJob | undefined },
): Promise<Finding[]> {
  const { findings, facts } = await checkService(service, options.version);
  if (facts === undefined) return findings;
  if (facts.environment === undefined)
    return [...findings, warning('environment', 'GET /environment did not answer as it should', SEE_LOG)];
  const environment = await awaitWorkers(service, facts.environment);
  const { job } = options;
  return [
    ...findings,
    ...checkWorkers(service, environment),
    checkProfiles(environment),
    ...(await examine('waiting jobs', async () => await checkWaiting(service, environment), SEE_LOG)),
    ...(await examine('questions', async () => await checkQuestions(service, environment.time), SEE_LOG)),
    ...(await examine('account', async () => await checkAccount(service, environment), SEE_LOG)),
    ...(job === undefined ? [] : await examine('job', async () => await tryJob(service, job), SEE_LOG)),
  ];
}
