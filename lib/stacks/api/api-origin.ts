import { Fn, type Stack } from 'aws-cdk-lib';
import type { RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import { ParameterTier, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { DataStack } from '../data/data-stack.ts';

/** The API's only stage. */
export const STAGE = 'live';

function parameterName(data: DataStack): string {
  return `${data.secretsFolder}/api-origin`;
}

/** Writes the API's address to a parameter in its stack; the value changes with the API and with the origin secret. */
export function writeApiOrigin(stack: Stack, data: DataStack, api: RestApiBase, originDigests: string): void {
  new StringParameter(stack, 'Origin', {
    description: 'The API and the digests of its origin secrets: read when the console stack is deployed',
    parameterName: parameterName(data),
    stringValue: `${api.restApiId}:${originDigests}`,
    tier: ParameterTier.STANDARD,
  });
}

/**
 * The API's address, for a later stack. CloudFormation reads the parameter with each deployment, and the CDK CLI never
 * skips a stack with such a parameter: so even an unchanged stack finds a recreated API.
 */
export function readApiOrigin(
  stack: Stack,
  data: DataStack,
): { readonly domainName: string; readonly changes: string } {
  const changes = StringParameter.valueForStringParameter(stack, parameterName(data));
  const apiId = Fn.select(0, Fn.split(':', changes));
  return { domainName: `${apiId}.execute-api.${stack.region}.${stack.urlSuffix}`, changes };
}
