import * as z from 'zod';
import { type Finding, fault, inWords, ok, warning } from '../finding.ts';
import { aws } from './command.ts';

/** The bootstrap version that stacks of this CDK require: `requiresBootstrapStackVersion` in their manifest. */
export const BOOTSTRAP_VERSION = 6;
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';

const parameterSchema = z.object({ Parameter: z.object({ Value: z.coerce.number().int() }) });

/** Checks that the account and region are prepared for the CDK. */
export async function checkBootstrap(): Promise<Finding> {
  const advice = '`npx cdk bootstrap`, once for each account and region.';
  try {
    const { Parameter } = parameterSchema.parse(await aws('ssm', 'get-parameter', '--name', BOOTSTRAP_PARAMETER));
    if (Parameter.Value >= BOOTSTRAP_VERSION) return ok('bootstrap', `version ${Parameter.Value}`);
    return fault('bootstrap', `version ${Parameter.Value}; ${BOOTSTRAP_VERSION} is needed`, advice);
  } catch (error) {
    if (!inWords(error).includes('ParameterNotFound')) throw error;
    return fault('bootstrap', 'this account and region are not prepared for the CDK', advice);
  }
}

/** Checks that ECS has its service-linked role in this account; the first cluster creates it, with a delay. */
export async function checkEcsRole(): Promise<Finding> {
  try {
    await aws('iam', 'get-role', '--role-name', 'AWSServiceRoleForECS');
    return ok('ECS role', 'the service-linked role is there');
  } catch (error) {
    if (!inWords(error).includes('NoSuchEntity')) throw error;
    return warning(
      'ECS role',
      'this account has never used ECS: the first cluster may fail with "Unable to assume the service linked role"',
      '`aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com`, once for each account.',
    );
  }
}

/** Checks whether this account may create CloudFront distributions. No API reports it; an account that has one may. */
export async function checkCloudFront(): Promise<Finding> {
  const first = await aws('cloudfront', 'list-distributions', '--query', 'DistributionList.Items[0].Id');
  if (typeof first === 'string') return ok('CloudFront', 'this account has distributions');
  return warning(
    'CloudFront',
    'this account has no distribution yet, and no call says whether it may: new accounts have to be verified first',
    'If the console stack fails with "Your account must be verified before you can add new CloudFront resources", open a case with AWS Support (Account and billing), wait for it (days), and deploy again.',
  );
}
