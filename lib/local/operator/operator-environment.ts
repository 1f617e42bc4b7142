import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { Home } from '../run/home.ts';
import { applyEnv } from '../run/local-env.ts';
import type { OperatorTarget } from './operator-registry.ts';

/** The functions' environment variables, by the data stack's outputs that hold their values. */
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
 * Gives this process the environment of a deployment's functions, or of a home's local run.
 * @throws Error with what to do when there is no such stack, or nothing runs on the home
 */
export async function enterDeployment({ stack, home }: OperatorTarget): Promise<void> {
  if (stack !== undefined) {
    Object.assign(process.env, await environmentOfStack(stack));
    return;
  }
  const running = await (await Home.open(home)).readOperatorInfo();
  if (running === undefined)
    throw new Error(`no service runs on ${home}; start it with \`npm start\`, which does this automatically`);
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
  // A placeholder: redrive and recount read no timeout.
  return { PROMPTQ_TIMEOUT_UNIT: 'seconds', ...Object.fromEntries(environment) };
}
