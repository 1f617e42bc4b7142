import { type App, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ApiStack } from './api/api-stack.ts';
import type { ApiStackProps } from './api/api-stack-props.ts';
import { ConsoleStack } from './console/console-stack.ts';
import { DataStack } from './data/data-stack.ts';
import { WorkerStack } from './worker/worker-stack.ts';

/** The stacks of one deployment. They name no account or region, so they fit wherever they are deployed. */
interface DeploymentStacks {
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly worker: WorkerStack;
  readonly console: ConsoleStack;
}

/** Creates a deployment's stacks, checked by cdk-nag's AwsSolutions rules: an unexplained finding fails synthesis. */
export function addStacks(app: App, props: Omit<ApiStackProps, 'data'>): DeploymentStacks {
  const { deploymentName } = props.deployment;
  const data = new DataStack(app, `${deploymentName}-data`);
  const api = new ApiStack(app, `${deploymentName}-api`, { ...props, data });
  const worker = new WorkerStack(app, `${deploymentName}-worker`, { ...props, data });
  const console = new ConsoleStack(app, `${deploymentName}-console`, { ...props, data, api });
  Tags.of(app).add('promptq:deployment', deploymentName);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { data, api, worker, console };
}
