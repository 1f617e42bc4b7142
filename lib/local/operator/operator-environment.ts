import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { Home } from '../run/home.ts';
import { applyEnv } from '../run/local-env.ts';
import type { OperatorTarget } from './operator-registry.ts';

/** Variables of the functions' environment, by the outputs of a data stack that hold them. */
const OF_OUTPUTS = {
  JOBS_TABLE: 'JobsTableName',
  REGISTRY_TABLE: 'RegistryTableName',
  OUTPUT_BUCKET: 'OutputBucketName',
  QUEUE_URL_HIGH: 'HighQueueUrl',
  QUEUE_URL_NORMAL: 'NormalQueueUrl',
  QUEUE_URL_LOW: 'LowQueueUrl',
  QUEUE_URL_DELIVERIES: 'DeliveriesQueueUrl',
} as const;

/**
 * Puts this process into the place of a deployment's functions: what it then calls works on that deployment, or on the
 * local run of a home.
 * @throws Error with what to do when there is no such stack, or no run on the home.
 */
export async function enterDeployment({ stack, home }: OperatorTarget): Promise<void> {
  if (stack !== undefined) {
    Object.assign(process.env, await environmentOfStack(stack));
    return;
  }
  const running = await (await Home.open(home)).readOperatorInfo();
  if (running === undefined)
    throw new Error(`nobody runs on ${home}; start it with \`npm start\`, which does this by itself`);
  applyEnv(running.environment, process.env);
}

async function environmentOfStack(stack: string): Promise<Record<string, string>> {
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stack }));
  const outputs = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const environment = Object.entries(OF_OUTPUTS).map(([name, output]) => {
    const value = outputs.get(output);
    if (value === undefined) throw new Error(`stack ${stack} has no output ${output}; is it the data stack?`);
    return [name, value];
  });
  // No unit is assumed: redrive and recount look at no timeout.
  return { PROMPTQ_TIMEOUT_UNIT: 'seconds', ...Object.fromEntries(environment) };
}
