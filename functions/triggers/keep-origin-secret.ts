import type { Logger } from '@aws-lambda-powertools/logger';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { OriginSecrets } from '../../lib/access/origin-secret.ts';
import { answerCustomResource, type Made } from '../../lib/platform/aws/custom-resource.ts';
import { originSecretEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { STORE_FORMAT } from '../../lib/platform/store-format.ts';

/**
 * `digests` is the resource that creates the secret. `gateway-key` returns the matching API key, and `value` returns both,
 * for the distribution.
 */
const propertiesSchema = z.object({
  Brings: z.enum(['digests', 'gateway-key', 'value']),
  Version: z.coerce.number().int().min(1),
});

/**
 * Fails an update of a deployment whose data has another format, before any function of the API changes. The rollback,
 * which restores the earlier format, is no such update.
 * @throws Error that CloudFormation shows
 */
function requireFormat(event: CloudFormationCustomResourceEvent): void {
  if (event.RequestType !== 'Update' || event.ResourceProperties.StoreFormat !== STORE_FORMAT) return;
  const format: unknown = event.OldResourceProperties.StoreFormat;
  if (format === STORE_FORMAT) return;
  throw new Error(
    `the data of this deployment has ${format === undefined ? 'a format of before the first release' : `format ${String(format)}`}; ` +
      `this version reads format ${STORE_FORMAT}. Deploy it under another deploymentName, or delete this deployment first`,
  );
}

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
    if (Brings === 'digests') requireFormat(event);
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
