import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { DataStack } from '../data/data-stack.ts';
import { IAM_EXCEPTIONS } from './iam-exceptions.ts';

/**
 * The CDK's name for the data stack's export of the bucket's ARN. If it changes, synthesis fails and prints the new
 * name.
 */
const BUCKET_ARN_EXPORT = 'ExportsOutputFnGetAttOutputAB65CDDEArn429ADEA9';

/** Acknowledges for cdk-nag, which requires the finding's exact text, why roles may access `jobs/*` of the bucket. */
export function acknowledgeOutputAccess(scope: IConstruct, data: DataStack): void {
  acknowledgeObjects(scope, data, 'jobs/*', IAM_EXCEPTIONS.output.reason);
}

/** The same of exports, and of the records of attempts, which exports are made from. */
export function acknowledgeExportAccess(scope: IConstruct, data: DataStack): void {
  acknowledgeObjects(scope, data, 'exports/*', IAM_EXCEPTIONS.exports.reason);
  acknowledgeObjects(scope, data, 'jobs/*/receipt.json', IAM_EXCEPTIONS.receipts.reason);
}

function acknowledgeObjects(scope: IConstruct, data: DataStack, objects: string, reason: string): void {
  const id = `AwsSolutions-IAM5[Resource::${data.stackName}:${BUCKET_ARN_EXPORT}/${objects}]`;
  Validations.of(scope).acknowledge({ id, reason });
}
