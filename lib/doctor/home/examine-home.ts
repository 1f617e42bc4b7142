import { findConfigFile } from '../../catalog/find-config-file.ts';
import { enterDeployment } from '../../local/operator/operator-environment.ts';
import { queueClient, tableClient } from '../../platform/aws/clients.ts';
import { triggerEnv } from '../../platform/config/function-env.ts';
import { readEnv } from '../../platform/config/read-env.ts';
import { registryOf } from '../../platform/registry.ts';
import { examine, type Finding, fault, inWords, ok } from '../finding.ts';
import { examineTokens } from '../service/check-tokens.ts';
import { examineService } from '../service/examine-service.ts';
import { openService } from '../service/service.ts';
import type { TrialJob } from '../service/try-job.ts';
import { checkCounts } from '../stores/check-counts.ts';
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
