import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { findConfigFile } from '../../catalog/find-config-file.ts';
import { STATUSES } from '../../contract/statuses.ts';
import { JobCounts } from '../../counters/counts.ts';
import { enterDeployment } from '../../local/operator/operator-environment.ts';
import { queueClient, tableClient } from '../../platform/aws/clients.ts';
import { type TriggerEnv, triggerEnv } from '../../platform/config/function-env.ts';
import { readEnv } from '../../platform/config/read-env.ts';
import { registryOf } from '../../platform/registry.ts';
import { recount } from '../../stats/counting/recount-stats.ts';
import { examine, type Finding, fault, inWords, ok } from '../finding.ts';
import { examineTokens } from '../service/check-tokens.ts';
import { examineService } from '../service/examine-service.ts';
import { openService } from '../service/service.ts';
import type { TrialJob } from '../service/try-job.ts';
import { checkOutput, outputOf } from '../stores/check-output.ts';
import { checkQueues } from '../stores/check-queues.ts';
import { namedSecrets } from '../stores/named-secrets.ts';
import { checkHome, checkLocalSecrets } from './check-home.ts';

const RESTART = 'See logs/api.log in the home; then restart the run (Ctrl-C, `npm start`).';

/** Checks a local run: its home, its service, its tables and queues, and the configuration of its next start. */
export async function examineHome(
  home: string,
  options: { readonly version: string; readonly config: string | undefined; readonly job: TrialJob | undefined },
): Promise<Finding[]> {
  const config = await checkConfigFile(options.config);
  const { findings, running } = await checkHome(home);
  if (running === undefined) return [...config, ...findings];
  const { info, operator } = running;
  const service = openService({ baseUrl: info.base_url, token: info.token, isLocal: true });
  const ofService = await examineService(service, options);
  if (operator === undefined)
    return [...config, ...findings, ...ofService, fault('operator.json', 'is missing or broken', RESTART)];
  await enterDeployment({ stack: undefined, home });
  const env = readEnv(triggerEnv);
  const registry = registryOf({ ...tableClient(), env });
  return [
    ...config,
    ...findings,
    ...ofService,
    ...(await examine('queues', async () => await checkQueues(queueClient(), env), RESTART)),
    ...(await examine('counts', async () => await checkCounts(registry.table, env), RESTART)),
    ...(await examine('output', async () => await checkOutput(outputOf(registry, env)), RESTART)),
    ...(await examine('secrets', async () => await checkLocalSecrets(home, await namedSecrets(registry)), RESTART)),
    ...(await examine('token scopes', async () => await examineTokens(registry, { service }), RESTART)),
  ];
}

async function checkConfigFile(given: string | undefined): Promise<Finding[]> {
  try {
    const file = await findConfigFile(given, { folder: process.cwd(), setting: 'PROMPTQ_CONFIG' });
    if (file === undefined) return [];
    const { rules = [], profiles = [] } = file.document;
    return [ok('configuration', `${file.path}: ${rules.length} rules, ${profiles.length} profiles`)];
  } catch (error) {
    return [fault('configuration', inWords(error), 'The next `npm start` will refuse it: set it right.')];
  }
}

/** Counts lag writes by a second or two, so a difference must persist over so many polls, this far (ms) apart. */
const POLLS = { times: 4, apart: 1_500 } as const;

/** Counts the jobs one by one and compares with the stored counts. Reads every job: for a home, or a small table. */
async function checkCounts(
  table: DynamoDBDocumentClient,
  env: TriggerEnv,
  pause: (milliseconds: number) => Promise<unknown> = delay,
): Promise<Finding> {
  const counts = new JobCounts({ table, registryTable: env.REGISTRY_TABLE });
  for (let round = 1; ; round += 1) {
    const [kept, counted] = await Promise.all([counts.read(), recount(table, env.JOBS_TABLE)]);
    const different = STATUSES.filter((status) => kept[status] !== counted[status]);
    if (different.length === 0) return ok('counts', 'those that are kept are those of the jobs');
    if (round === POLLS.times)
      return fault(
        'counts',
        different.map((status) => `${status}: kept ${kept[status]}, counted ${counted[status]}`).join('; '),
        'count-jobs does not keep up with the stream: see its log. `npm run recount` compares all figures.',
      );
    await pause(POLLS.apart);
  }
}
