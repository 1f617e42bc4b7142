import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CustomResource, Duration, FileAssetPackaging, Stack, Stage } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { catalogItemKinds, catalogProblems } from '../../catalog/catalog.ts';
import { CLOUD_SANDBOXES } from '../../catalog/sandboxes.ts';
import { fieldSentence } from '../../contract/errors.ts';
import type { ConfigDocument } from '../../contract/schemas/config.ts';
import { APPLY_CONFIG } from '../functions/bundle-functions.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import { applyConfigEnvironment } from '../functions/process-environment.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { itemStatement, ofKindsLike } from '../iam/table-grants.ts';
import type { ApiStackProps } from './api-stack-props.ts';

/** Longer than an import of the largest document takes, with retries. */
const APPLY_TIMEOUT = Duration.minutes(1);
const APPLY_ACTIONS = ['GetItem', 'BatchGetItem', 'Query', 'PutItem'] as const;
/** How long a deployment waits for a missing response: Lambda retries a failed call twice, up to 3 minutes later. */
const ANSWER_TIMEOUT = Duration.minutes(6);

/**
 * Imports the deployment's rules, profiles and templates. A custom resource that changes with the document: a fault that only the
 * registry shows fails the deployment, and a rollback applies the previous document. The document is an asset, named by
 * its content: a resource property is too small for it.
 */
export class ConfigImport extends Construct {
  constructor(scope: Construct, id: string, props: ApiStackProps & { readonly document: ConfigDocument }) {
    super(scope, id);
    const { data, deployment, codeOf, document } = props;
    const problems = catalogProblems(document, { sandboxes: CLOUD_SANDBOXES }).map(fieldSentence);
    if (problems.length > 0) throw new Error(`the configuration is not right:\n  ${problems.join('\n  ')}`);
    const { bucketName, objectKey, digest } = this.#asset(document);
    const objectArn = Stack.of(this).formatArn({
      service: 's3',
      region: '',
      account: '',
      resource: bucketName,
      resourceName: objectKey,
    });
    const apply = new ServiceFunction(this, 'Apply', {
      description: 'applies the configuration that a deployment brings along',
      code: codeOf(APPLY_CONFIG),
      environment: applyConfigEnvironment(data),
      statements: [
        itemStatement(data, 'registry', APPLY_ACTIONS, ofKindsLike(...catalogItemKinds())),
        new PolicyStatement({ actions: ['s3:GetObject'], resources: [objectArn] }),
      ],
      memorySize: FUNCTION_MEMORY.trigger,
      timeout: APPLY_TIMEOUT,
      deployment,
    });
    new CustomResource(this, 'Document', {
      serviceToken: apply.resource.functionArn,
      resourceType: 'Custom::PromptqConfig',
      serviceTimeout: ANSWER_TIMEOUT,
      properties: { Bucket: bucketName, Key: objectKey, Digest: digest },
    });
  }

  #asset(document: ConfigDocument): { bucketName: string; objectKey: string; digest: string } {
    const text = JSON.stringify(document);
    const digest = createHash('sha256').update(text).digest('hex');
    const outdir = Stage.of(this)?.assetOutdir;
    if (outdir === undefined) throw new Error('a configuration belongs to a stack of an app');
    const fileName = `config.${digest}.json`;
    writeFileSync(join(outdir, fileName), text);
    const { bucketName, objectKey } = Stack.of(this).synthesizer.addFileAsset({
      fileName,
      packaging: FileAssetPackaging.FILE,
      sourceHash: digest,
      displayName: 'Configuration',
    });
    return { bucketName, objectKey, digest };
  }
}
