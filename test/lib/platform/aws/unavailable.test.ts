import { ConditionalCheckFailedException, ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { isUnavailable } from '../../../../lib/platform/aws/unavailable.ts';

it.each<[unknown, boolean]>([
  [new ProvisionedThroughputExceededException({ message: 'too fast', $metadata: {} }), true],
  [Object.assign(new Error('broken'), { $metadata: { httpStatusCode: 503 }, $fault: 'server' }), true],
  [Object.assign(new Error('no one listens'), { name: 'TimeoutError' }), true],
  [new ConditionalCheckFailedException({ message: 'another was faster', $metadata: {} }), false],
  [new TypeError('a fault of ours'), false],
  ['text', false],
  [undefined, false],
  [null, false],
])('%s means that a service is unavailable: %s', (thrown, expected) => {
  expect(isUnavailable(thrown)).toBe(expected);
});
