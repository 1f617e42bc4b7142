import type { Logger } from '@aws-lambda-powertools/logger';
import { createScaling } from '../../lib/composition/services.ts';
import { tableClient } from '../../lib/platform/aws/clients.ts';
import { scaleEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import type { LaunchDecision } from '../../lib/workers/scaling/scale-workers.ts';
import { type ScaleContext, scaleWorkers } from '../../lib/workers/scaling/scale-workers.ts';

let context: Omit<ScaleContext, 'log'> | undefined;

/** Runs when work appears, and every minute: launches the workers that are needed. */
export const handler = handleTrigger('scale-workers', launchWorkers);

async function launchWorkers(_event: unknown, log: Logger): Promise<LaunchDecision> {
  context ??= createScaling({ env: readEnv(scaleEnv), ...tableClient() });
  return await scaleWorkers({ ...context, log });
}
