import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { startReceiver } from '../api/catalog/webhook-receiver.ts';

/** The response that CloudFormation received. */
export interface ResourceAnswer {
  readonly Status: 'SUCCESS' | 'FAILED';
  readonly Reason?: string;
  readonly PhysicalResourceId: string;
  readonly Data?: Readonly<Record<string, string>>;
  readonly NoEcho?: boolean;
}

/** Acts as CloudFormation: has a function create, change or delete a custom resource, and receives its response. */
export async function startCloudFormation(handler: (event: CloudFormationCustomResourceEvent) => Promise<void>) {
  const receiver = await startReceiver(() => [200]);
  let asked = 0;
  return {
    async ask(
      RequestType: 'Create' | 'Update' | 'Delete',
      properties: Readonly<Record<string, string>>,
      old: Readonly<Record<string, string>> = properties,
    ): Promise<ResourceAnswer> {
      asked += 1;
      const path = `/answers/${asked}`;
      const ResourceProperties = { ServiceToken: 'arn:aws:lambda:eu-central-1:123456789012:function:f', ...properties };
      const event = {
        RequestType,
        ServiceToken: ResourceProperties.ServiceToken,
        ResponseURL: `${receiver.url}${path}`,
        StackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/promptq-api/1',
        RequestId: `request-${asked}`,
        LogicalResourceId: 'Resource',
        ResourceType: 'Custom::Resource',
        ResourceProperties,
        ...(RequestType !== 'Create' && { PhysicalResourceId: 'Resource', OldResourceProperties: old }),
      };
      await handler(event as CloudFormationCustomResourceEvent);
      return JSON.parse(receiver.to(path).at(-1)?.body ?? '') as ResourceAnswer;
    },
    stop: receiver.stop,
  };
}
