import type { Logger } from '@aws-lambda-powertools/logger';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { OriginSecrets } from '../../lib/access/origin-secret.ts';
import { answerCustomResource, type Made } from '../../lib/platform/aws/custom-resource.ts';
import { originSecretEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';

/**
 * `digests` is the resource that creates the secret. `gateway-key` returns the matching API key, and `value` returns both,
 * for the distribution.
 */
const propertiesSchema = z.object({
  Brings: z.enum(['digests', 'gateway-key', 'value']),
  Version: z.coerce.number().int().min(1),
});

/** On deployment: creates or returns the secret that authenticates the distribution. It is never logged. */
export const handler = handleTrigger('keep-origin-secret', keepOriginSecret);

async function keepOriginSecret(event: CloudFormationCustomResourceEvent, log: Logger): Promise<void> {
  await answerCustomResource(event, async (properties): Promise<Made | undefined> => {
    const { Brings, Version } = propertiesSchema.parse(event.ResourceProperties);
    log.info('received a request for the origin secret', {
      what: Brings,
      version: Version,
      request: event.RequestType,
    });
    const secrets = new OriginSecrets(readEnv(originSecretEnv).ORIGIN_SECRET_FOLDER);
    if (properties === undefined) {
      if (Brings === 'digests') await secrets.removeAll(Version);
      return undefined;
    }
    switch (Brings) {
      case 'digests':
        return { attributes: { Digests: (await secrets.keep(Version)).join(',') }, secret: false };
      case 'gateway-key':
        return { attributes: { GatewayKey: await secrets.gatewayKey(Version) }, secret: true };
      case 'value': {
        const Value = await secrets.value(Version);
        return { attributes: { Value, GatewayKey: await secrets.gatewayKey(Version) }, secret: true };
      }
    }
  });
}
