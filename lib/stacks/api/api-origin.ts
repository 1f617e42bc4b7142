import { Fn, type Stack } from 'aws-cdk-lib';
import type { RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import { ParameterTier, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { DataStack } from '../data/data-stack.ts';

/** The one stage of the API. */
export const STAGE = 'live';

function parameterName(data: DataStack): string {
  return `${data.secretsFolder}/api-origin`;
}

/** Writes down where the API is, in the API's stack: another value with each API, and with each origin secret. */
export function writeApiOrigin(stack: Stack, data: DataStack, api: RestApiBase, originDigests: string): void {
  new StringParameter(stack, 'Origin', {
    description: 'The API and the digests of its origin secrets: read when the console stack is deployed',
    parameterName: parameterName(data),
    stringValue: `${api.restApiId}:${originDigests}`,
    tier: ParameterTier.STANDARD,
  });
}

/**
 * Where the API is, for a later stack. CloudFormation reads the parameter with each deployment, and the CDK's command line
 * never skips a stack that has such a parameter: a stack whose template is the same finds an API that was made again.
 */
export function readApiOrigin(
  stack: Stack,
  data: DataStack,
): { readonly domainName: string; readonly changes: string } {
  const changes = StringParameter.valueForStringParameter(stack, parameterName(data));
  const apiId = Fn.select(0, Fn.split(':', changes));
  return { domainName: `${apiId}.execute-api.${stack.region}.${stack.urlSuffix}`, changes };
}
