import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { DataStack } from './data-stack.ts';
import { EXPLAINED } from './explained.ts';

/** How CDK names the data stack's output that carries the bucket's ARN. If it changes, synthesis fails and tells the new name. */
const BUCKET_ARN_OUTPUT = 'PublishOutputFnGetAttOutputAB65CDDEArnBCF77142';

/** Tells cdk-nag, which asks for the finding to the letter, why roles may reach `jobs/*` of the bucket. */
export function acknowledgeOutputAccess(scope: IConstruct, data: DataStack): void {
  const bucketArn = {
    'Fn::GetStackOutput': { StackName: data.stackName, Region: { Ref: 'AWS::Region' }, OutputName: BUCKET_ARN_OUTPUT },
  };
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${JSON.stringify(bucketArn)}/jobs/*]`,
    reason: EXPLAINED.output.reason,
  });
}
