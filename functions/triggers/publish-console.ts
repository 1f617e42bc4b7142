import type { Logger } from '@aws-lambda-powertools/logger';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { PublishedConsole } from '../../lib/console/publish-console.ts';
import { objectClient } from '../../lib/platform/aws/clients.ts';
import { answerCustomResource } from '../../lib/platform/aws/custom-resource.ts';
import { publishConsoleEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';

/** On deployment: uploads the console, which is packaged with this function, to its bucket. Empties the bucket when the stack is deleted. */
export const handler = handleTrigger('publish-console', publishConsole);

async function publishConsole(event: CloudFormationCustomResourceEvent, log: Logger): Promise<void> {
  await answerCustomResource(event, async (properties) => {
    const env = readEnv(publishConsoleEnv);
    const published = new PublishedConsole(objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE }), env.CONSOLE_BUCKET);
    if (properties === undefined) await published.remove();
    else await published.publish(env.CONSOLE_FOLDER);
    log.info(properties === undefined ? 'deleted the console' : 'published the console');
  });
}
