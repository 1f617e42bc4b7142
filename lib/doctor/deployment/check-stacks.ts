import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { type Finding, fault, ok, warning } from '../finding.ts';
import { STACKS } from './stacks.ts';

/** States of a successfully deployed stack. */
const WHOLE: readonly string[] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'];

const ALARM = 'AWS::CloudWatch::Alarm';
const PARAMETER = 'AWS::SSM::Parameter';

/** A deployment, as its stacks describe it. */
export interface DeployedStacks {
  readonly names: readonly string[];
  /** Of all its stacks; a later stack's output replaces an earlier one's of the same name. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Names of its alarms. */
  readonly alarms: readonly string[];
  /** Names of the SSM parameters that its stacks create. */
  readonly parameters: readonly string[];
}

/** Checks that each stack exists and is deployed. */
export async function checkStacks(
  client: CloudFormationClient,
  deploymentName: string,
): Promise<{ findings: Finding[]; stacks: DeployedStacks }> {
  const findings: Finding[] = [];
  const found: Stack[] = [];
  for (const part of STACKS) {
    const name = `${deploymentName}-${part}`;
    const stack = await describe(client, name);
    findings.push(stack === undefined ? missing(name) : assess(name, stack));
    if (stack !== undefined) found.push(stack);
  }
  const names = found.flatMap(({ StackName }) => StackName ?? []);
  const outputs = found.flatMap(({ Outputs = [] }) =>
    Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue] as const),
  );
  const made = (await Promise.all(names.map(async (name) => await resourcesOf(client, name)))).flat();
  const [alarms, parameters] = [ALARM, PARAMETER].map((type) => made.filter((one) => one.type === type));
  return {
    findings,
    stacks: {
      names,
      outputs: new Map(outputs),
      alarms: alarms?.map(({ id }) => id) ?? [],
      parameters: parameters?.map(({ id }) => id) ?? [],
    },
  };
}

async function describe(client: CloudFormationClient, StackName: string): Promise<Stack | undefined> {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    // CloudFormation reports it as a validation error, of which there are others.
    if (error instanceof Error && error.message.includes('does not exist')) return undefined;
    throw error;
  }
}

function missing(name: string): Finding {
  return fault(
    `stack ${name}`,
    'is not there',
    'Deploy it: `npx cdk deploy --all`. Is it this account and region, and the right --deployment?',
  );
}

function assess(name: string, { StackStatus, StackStatusReason: reason }: Stack): Finding {
  const check = `stack ${name}`;
  const status = String(StackStatus);
  const message = reason === undefined ? status : `${status}: ${reason}`;
  if (status.endsWith('_IN_PROGRESS'))
    return warning(check, message, 'A change is in progress: check again when it is complete.');
  if (status === 'UPDATE_ROLLBACK_COMPLETE')
    return warning(check, message, 'The last deployment failed, and what was there before runs: see its events.');
  if (WHOLE.includes(status)) return ok(check, message);
  return fault(check, message, 'See its events in CloudFormation, set the cause right, and deploy again.');
}

async function resourcesOf(client: CloudFormationClient, StackName: string): Promise<{ type: string; id: string }[]> {
  const found: { type: string; id: string }[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType: type, PhysicalResourceId: id } of StackResourceSummaries)
      if (type !== undefined && id !== undefined) found.push({ type, id });
  }
  return found;
}
