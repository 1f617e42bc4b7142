import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { lowerCaseHeaders } from '../../access/authenticate.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Door } from '../../contract/route.ts';
import { baseHeaders, errorResponse, type LambdaAnswer } from '../answer.ts';
import { bypassedCloudFront } from '../bypassed-cloudfront.ts';
import { beforeDeadline } from '../deadline.ts';
import { rawBodyBytes } from '../input.ts';
import { pathParametersOf } from '../path-parameters.ts';
import { type Core, getCore } from '../runtime/core.ts';

/** What a service sent to a door with a signature. */
interface SignedRequest {
  /** The `{id}` of the path. */
  readonly id: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as they came, over which it is signed. */
  readonly body: Buffer;
}

/** Makes a door with a signature into the handler that Lambda and the local gateway call. @param run checks the signature */
export function handleSigned<S>(
  door: Door,
  open: (core: Core) => S,
  run: (request: SignedRequest, services: S) => Promise<{ readonly status: number; readonly body: object }>,
) {
  let services: S | undefined;
  return middy<APIGatewayProxyEvent, LambdaAnswer>().handler(async (event: APIGatewayProxyEvent, context: Context) => {
    const requestId = event.requestContext.requestId ?? context.awsRequestId;
    const core = getCore();
    const settings = { requestId, tls: core.behindCloudFront };
    const logged = { route: door.id, request_id: requestId };
    try {
      if (bypassedCloudFront(event, core)) throw ApiError.of('forbidden');
      if (rawBodyBytes(event) > core.env.PROMPTQ_MAX_BODY_BYTES) throw ApiError.of('body_too_large');
      services ??= open(core);
      const { id = '' } = pathParametersOf(event);
      const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
      const work = run({ id, headers: lowerCaseHeaders(event), body }, services);
      const { status, body: answer } = await beforeDeadline(work, context.getRemainingTimeInMillis());
      core.log.info('answered', { ...logged, status });
      return { statusCode: status, headers: baseHeaders(settings), body: JSON.stringify(answer) };
    } catch (thrown) {
      const { unexpected, ...rejected } = errorResponse(thrown, settings);
      if (unexpected) core.log.error('failed', { ...logged, error: thrown as Error });
      else core.log.info('refused', { ...logged, status: rejected.statusCode });
      return rejected;
    }
  });
}
