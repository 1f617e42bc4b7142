import { setTimeout } from 'node:timers/promises';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';

/** A response is limited to 4,096 bytes. */
const REASON_LENGTH = 1_500;
const MAX_ATTEMPTS = 5;
const CALL_TIMEOUT_MS = 10_000;

/** The result of creating a resource. */
export interface Made {
  /** For `Fn::GetAtt`; the whole response is limited to 4,096 bytes. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether CloudFormation hides them. */
  readonly secret: boolean;
}

/**
 * Handles a custom resource's request and reports the outcome to CloudFormation: an error of `work` fails the
 * deployment with its message.
 * @param work receives the properties; undefined: the resource is deleted
 * @param pause waits so many milliseconds before the next try
 * @throws Error when the report fails; Lambda then retries the call
 */
export async function answerCustomResource(
  event: CloudFormationCustomResourceEvent,
  work: (properties: Readonly<Record<string, unknown>> | undefined) => Promise<Made | undefined>,
  pause: (milliseconds: number) => Promise<unknown> = setTimeout,
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
      // Constant: a new id would make an update look like a replacement, and CloudFormation would delete the old
      // resource.
      PhysicalResourceId: 'PhysicalResourceId' in event ? event.PhysicalResourceId : LogicalResourceId,
      ...(made !== undefined && { Data: made.attributes, NoEcho: made.secret }),
      StackId,
      RequestId,
      LogicalResourceId,
    }),
    pause,
  );
}

async function put(url: string, body: string, pause: (milliseconds: number) => Promise<unknown>): Promise<void> {
  for (let left = MAX_ATTEMPTS - 1; ; left -= 1) {
    try {
      // The URL is signed for an empty content type.
      const headers = { 'content-type': '' };
      const { ok, status } = await fetch(url, {
        method: 'PUT',
        headers,
        body,
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      });
      if (ok) return;
      throw new Error(`CloudFormation's response URL answered ${status}`);
    } catch (error) {
      if (left === 0) throw error;
      await pause(200 * 2 ** (MAX_ATTEMPTS - left));
    }
  }
}
