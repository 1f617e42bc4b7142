import { ApiStack } from '../../../lib/stacks/api/api-stack.ts';
import { ConsoleStack } from '../../../lib/stacks/console/console-stack.ts';
import { DataStack } from '../../../lib/stacks/data/data-stack.ts';
import { WorkerStack } from '../../../lib/stacks/worker/worker-stack.ts';
import { codeOf, deployment, testApp, VERSION } from './synthesis.ts';

/** Deployments in one account: one with no more than it needs, one with all that it can have. To be called outside of tests. */
export function twoDeployments(options: { readonly validates?: boolean } = {}) {
  const app = testApp(options);
  const stacksOf = (settings: Record<string, unknown> & { readonly deploymentName: string }) => {
    const made = { deployment: deployment(settings), version: VERSION, codeOf };
    const data = new DataStack(app, `${settings.deploymentName}-data`);
    const api = new ApiStack(app, `${settings.deploymentName}-api`, { ...made, data });
    const worker = new WorkerStack(app, `${settings.deploymentName}-worker`, { ...made, data });
    const console = new ConsoleStack(app, `${settings.deploymentName}-console`, { ...made, data, api });
    return { data, api, worker, console };
  };
  return {
    plain: stacksOf({ deploymentName: 'my-aws-queue', adminEmail: 'ada@example.com' }),
    /** Its origin is known before the distribution is made. */
    aliased: stacksOf({ deploymentName: 'aliased', publicOrigin: 'https://queue.example.com' }),
    rich: stacksOf({
      deploymentName: 'rich',
      domain: {
        name: 'queue.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/1',
        hostedZone: { id: 'Z1', name: 'example.com' },
      },
      webAclArn: 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/mine/1',
      signIn: { issuer: 'https://id.example.com', clientId: 'promptq' },
      originSecretVersion: 3,
    }),
  };
}
