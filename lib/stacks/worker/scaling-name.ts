import { ArnFormat } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { DataStack } from '../data/data-stack.ts';

/** The name of the function that launches workers. A name, because it is in a stack that the API's does not know. */
export function scaleWorkersName(data: DataStack): string {
  return `${data.stackName.replace(/-data$/, '')}-scale-workers`;
}

/** Leave to have it decide now. */
export function wakeScalingStatement(data: DataStack): PolicyStatement {
  const resource = data.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: scaleWorkersName(data),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [resource] });
}
