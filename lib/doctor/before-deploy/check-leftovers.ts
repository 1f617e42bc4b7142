import * as z from 'zod';
import type { Deployment } from '../../platform/config/deployment.ts';
import { STACKS } from '../deployment/stacks.ts';
import { type Finding, fault, inWords, ok, warning } from '../finding.ts';
import { aws } from './command.ts';

const stacksSchema = z.object({
  Stacks: z.tuple([z.object({ StackStatus: z.string(), EnableTerminationProtection: z.boolean().default(false) })]),
});
/** States of a stack whose creation failed: the CDK deletes it before it creates it again. */
const CREATION_FAILED: readonly string[] = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/** Checks for stacks of a former deployment that can neither be deleted nor created again. */
export async function checkLeftovers(deploymentName: string): Promise<Finding[]> {
  const names = STACKS.map((part) => `${deploymentName}-${part}`);
  const found = await Promise.all(names.map(checkStack));
  const stuck = found.flatMap((finding) => finding ?? []);
  return stuck.length > 0 ? stuck : [ok('stacks', 'none blocks the deployment')];
}

async function checkStack(name: string): Promise<Finding | undefined> {
  const check = `stack ${name}`;
  try {
    const { Stacks } = stacksSchema.parse(await aws('cloudformation', 'describe-stacks', '--stack-name', name));
    const { StackStatus: status, EnableTerminationProtection: isProtected } = Stacks[0];
    if (CREATION_FAILED.includes(status) && isProtected)
      return fault(
        check,
        `${status}: its creation failed, and its termination protection keeps the CDK from making it again`,
        `\`aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${name}\`. Nothing is in it yet.`,
      );
    if (status === 'DELETE_FAILED' || status === 'UPDATE_ROLLBACK_FAILED')
      return fault(
        check,
        status,
        'See its events in CloudFormation for the resource that failed; upgrades.md, "Take a version back".',
      );
    return undefined;
  } catch (error) {
    if (inWords(error).includes('does not exist')) return undefined;
    throw error;
  }
}

const poolsSchema = z.object({ UserPools: z.array(z.object({ Id: z.string(), Name: z.string() })) });

/** Checks for a user pool that a failed or removed console stack left: the next one makes another beside it. */
export async function checkUsers({ deploymentName, signIn }: Deployment): Promise<Finding> {
  const check = 'users';
  if (signIn !== undefined) return ok(check, `sign in at ${signIn.issuer}`);
  const { UserPools: pools } = poolsSchema.parse(await aws('cognito-idp', 'list-user-pools', '--max-results', '60'));
  const pool = pools.find(({ Name }) => Name === deploymentName);
  if (pool === undefined) return ok(check, 'no user pool of a former deployment is left');
  if (await exists(`${deploymentName}-console`)) return ok(check, `are in the user pool ${pool.Id}`);
  return warning(
    check,
    `the user pool ${pool.Id} of a former deployment is left: the console stack makes another, without its users`,
    `If nobody needs its users: \`aws cognito-idp update-user-pool --deletion-protection INACTIVE --user-pool-id ${pool.Id} && aws cognito-idp delete-user-pool --user-pool-id ${pool.Id}\`.`,
  );
}

async function exists(stack: string): Promise<boolean> {
  try {
    const { Stacks } = stacksSchema.parse(await aws('cloudformation', 'describe-stacks', '--stack-name', stack));
    return !CREATION_FAILED.includes(Stacks[0].StackStatus);
  } catch (error) {
    if (inWords(error).includes('does not exist')) return false;
    throw error;
  }
}
