import * as z from 'zod';
import { STACKS } from '../deployment/stacks.ts';
import { type Finding, fault, inWords, ok } from '../finding.ts';
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
        'See its events in CloudFormation for the resource that failed; upgrades.md, "Taking a version back".',
      );
    return undefined;
  } catch (error) {
    if (inWords(error).includes('does not exist')) return undefined;
    throw error;
  }
}
