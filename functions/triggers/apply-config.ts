import type { Logger } from '@aws-lambda-powertools/logger';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { importConfig } from '../../lib/catalog/catalog.ts';
import { describeIssue } from '../../lib/contract/input/input-fault.ts';
import { type ConfigDocument, configDocument } from '../../lib/contract/schemas/config.ts';
import { objectClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { answerCustomResource } from '../../lib/platform/aws/custom-resource.ts';
import { applyConfigEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';
import { registryOf } from '../../lib/platform/registry.ts';

/** Location of the document, and a digest that shows CloudFormation when it has changed. */
const propertiesSchema = z.object({ Bucket: z.string(), Key: z.string(), Digest: z.string() });

/** On deployment: applies the configuration document. Entries that it no longer contains stay, also when the stack is deleted. */
export const handler = handleTrigger('apply-config', applyConfig);

async function applyConfig(event: CloudFormationCustomResourceEvent, log: Logger): Promise<void> {
  await answerCustomResource(event, async (properties) => {
    if (properties === undefined) return;
    const { Bucket, Key, Digest } = propertiesSchema.parse(properties);
    const env = readEnv(applyConfigEnv);
    const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
    const { Body } = await objects.send(new GetObjectCommand({ Bucket, Key }));
    const document = readDocument((await Body?.transformToString()) ?? 'null');
    const context = registryOf({ ...tableClient(), env });
    const result = await importConfig(context, document, { dryRun: false, sandboxes: env.PROMPTQ_SANDBOXES });
    log.info('applied the configuration document of the deployment', { digest: Digest, ...result });
  });
}

/** Synthesis has validated the document, but it may have been replaced since. */
function readDocument(text: string): ConfigDocument {
  const value: unknown = JSON.parse(text);
  const result = configDocument.safeParse(value);
  if (result.success) return result.data;
  throw new Error(result.error.issues.map((issue) => describeIssue('document', issue, value)).join('; '));
}
