import { S3Client } from '@aws-sdk/client-s3';

/**
 * Puts a function around each request of all AWS clients of this process, wherever they are created. Those of functions
 * are otherwise unreachable.
 */
export function aroundEveryRequest(around: (client: object, send: () => Promise<unknown>) => Promise<unknown>): void {
  const shared = Object.getPrototypeOf(S3Client.prototype) as { send: (...given: readonly unknown[]) => unknown };
  const { send } = shared;
  shared.send = function sendWithin(this: unknown, ...given) {
    return around(this as object, async () => await Reflect.apply(send, this, given));
  };
}
