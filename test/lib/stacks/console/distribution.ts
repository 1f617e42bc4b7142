import { runInNewContext } from 'node:vm';
import type { Stack } from 'aws-cdk-lib';
import { expect } from 'vitest';
import * as z from 'zod';
import { propertiesOfOnly, resourcesOf } from '../synthesis.ts';

const behavior = z.object({
  PathPattern: z.string().optional(),
  TargetOriginId: z.string(),
  FunctionAssociations: z.tuple([
    z.object({
      EventType: z.literal('viewer-request'),
      FunctionARN: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('FunctionARN')]) }),
    }),
  ]),
});
const distributionSchema = z.object({
  DistributionConfig: z.object({
    DefaultCacheBehavior: z.looseObject(behavior.shape),
    CacheBehaviors: z.array(z.looseObject(behavior.shape)),
    Origins: z.array(z.looseObject({ Id: z.string() })),
    CustomErrorResponses: z.array(z.looseObject({})),
    Aliases: z.array(z.string()).optional(),
    ViewerCertificate: z.unknown().optional(),
    WebACLId: z.string().optional(),
  }),
});
/** The configuration of a stack's distribution. */
export function distributionOf(stack: Stack) {
  return distributionSchema.parse(propertiesOfOnly(stack, 'AWS::CloudFront::Distribution')).DistributionConfig;
}

/** Calls a behavior's function as CloudFront does. */
export function runEdgeFunction(
  stack: Stack,
  { FunctionAssociations: [association] }: z.output<typeof behavior>,
  event: object,
): unknown {
  const [logicalId] = association.FunctionARN['Fn::GetAtt'];
  const { FunctionCode, FunctionConfig } = z
    .object({ FunctionCode: z.string(), FunctionConfig: z.object({ Runtime: z.string() }) })
    .parse(resourcesOf(stack, 'AWS::CloudFront::Function').get(logicalId)?.Properties);
  expect(FunctionConfig.Runtime).toBe('cloudfront-js-2.0');
  return JSON.parse(JSON.stringify(runInNewContext(`${FunctionCode}\nhandler(${JSON.stringify(event)})`)));
}
