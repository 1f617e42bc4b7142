import { setTimeout } from 'node:timers/promises';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';

/** An answer may have 4,096 bytes. */
const REASON_LENGTH = 1_500;
const TRIES = 5;
const CALL_LIMIT = 10_000;

/** What becomes known by making a resource. */
export interface Made {
  /** What it is asked for by `Fn::GetAtt`; of 4,096 bytes at most, with all else that is answered. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether CloudFormation shows them to nobody. */
  readonly secret: boolean;
}

/**
 * Does what CloudFormation asks of a custom resource, and tells it the outcome: what `work` throws fails the deployment,
 * with its message.
 * @param work is given the properties; undefined: the resource goes.
 * @throws Error when CloudFormation can't be told; Lambda then repeats the call.
 */
export async function answerCustomResource(
  event: CloudFormationCustomResourceEvent,
  work: (properties: Readonly<Record<string, unknown>> | undefined) => Promise<Made | undefined>,
): Promise<void> {
  let reason: string | undefined;
  let made: Made | undefined;
  try {
    made = await work(event.RequestType === 'Delete' ? undefined : event.ResourceProperties);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  const { StackId, RequestId, LogicalResourceId } = event;
  await put(
    event.ResponseURL,
    JSON.stringify({
      Status: reason === undefined ? 'SUCCESS' : 'FAILED',
      ...(reason !== undefined && { Reason: reason.slice(0, REASON_LENGTH) }),
      // One that stays the same: an update must never look like a new resource whose former one has to go.
      PhysicalResourceId: 'PhysicalResourceId' in event ? event.PhysicalResourceId : LogicalResourceId,
      ...(made !== undefined && { Data: made.attributes, NoEcho: made.secret }),
      StackId,
      RequestId,
      LogicalResourceId,
    }),
  );
}

async function put(url: string, body: string): Promise<void> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      // The address is signed for an empty content type.
      const headers = { 'content-type': '' };
      const { ok, status } = await fetch(url, {
        method: 'PUT',
        headers,
        body,
        signal: AbortSignal.timeout(CALL_LIMIT),
      });
      if (ok) return;
      throw new Error(`CloudFormation's answer address said ${status}`);
    } catch (error) {
      if (left === 0) throw error;
      await setTimeout(200 * 2 ** (TRIES - left));
    }
  }
}
