import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { triggerEnv } from '../../platform/config/function-env.ts';
import { Home } from '../run/home.ts';
import { applyEnv } from '../run/local-env.ts';
import { answers, type OperatorTarget } from './operator-registry.ts';

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
  // A killed run leaves its entry.
  if (running === undefined || !(await answers(running.dynamodb)))
    throw new Error(`no service runs on ${home}; start it with \`npm start\`, which does this automatically`);
  applyEnv(running.environment, process.env);
}

/** The reconciler in the api stack: the start of its logical id, which a hash completes. */
export const RECONCILER_ID = 'TriggersWatchJobs';

/**
 * Gives this process the environment of a deployment's reconciler, with the deployment's settings and none of this
 * machine's, or that of a home's local run.
 * @throws Error as `enterDeployment`
 */
export async function enterReconciler(target: OperatorTarget): Promise<void> {
  if (target.stack === undefined) return await enterDeployment(target);
  const FunctionName = await reconcilerOf(target.stack);
  const { Environment } = await new LambdaClient({}).send(new GetFunctionConfigurationCommand({ FunctionName }));
  for (const setting of Object.keys(triggerEnv.shape)) delete process.env[setting];
  Object.assign(process.env, Environment?.Variables);
}

async function reconcilerOf(dataStack: string): Promise<string> {
  if (!dataStack.endsWith('-data'))
    throw new Error(`${dataStack} is not the name of a data stack, such as promptq-data`);
  const StackName = dataStack.replace(/-data$/, '-api');
  for await (const page of paginateListStackResources({ client: new CloudFormationClient({}) }, { StackName }))
    for (const { LogicalResourceId, ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
      if (ResourceType === 'AWS::Lambda::Function' && LogicalResourceId?.slice(0, -8) === RECONCILER_ID)
        if (PhysicalResourceId !== undefined) return PhysicalResourceId;
  throw new Error(`stack ${StackName} has no function ${RECONCILER_ID}; deploy it, and repeat the command`);
}

async function environmentOfStack(stack: string): Promise<Record<string, string>> {
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stack }));
  const outputs = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const environment = Object.entries(OF_OUTPUTS).map(([name, output]) => {
    const value = outputs.get(output);
    if (value === undefined) throw new Error(`stack ${stack} has no output ${output}; is it the data stack?`);
    return [name, value];
  });
  // A placeholder: recount and the doctor read no timeout.
  return { PROMPTQ_TIMEOUT_UNIT: 'seconds', ...Object.fromEntries(environment) };
}
