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
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${data.stackName}:${BUCKET_ARN_EXPORT}/jobs/*]`,
    reason: IAM_EXCEPTIONS.output.reason,
  });
}
