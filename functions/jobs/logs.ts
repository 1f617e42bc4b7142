import { setTimeout as pause } from 'node:timers/promises';
import { redirectOr } from '../../lib/api/redirect.ts';
import { createFollowableOutput } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { EVENT_STREAM } from '../../lib/contract/event-stream.ts';
import { readLogs as route } from '../../lib/contract/routes/output.ts';
import { followLogs } from '../../lib/jobs/output/reading/follow-logs.ts';
import { readLogs } from '../../lib/jobs/output/reading/read-output.ts';

/** `GET /jobs/{id}/logs` */
export const handler = handleJob(route, createFollowableOutput, async ({ query, headers }, call, output, found) => {
  const { stream = 'all', full, offset, attempt, limit, follow } = query;
  if (follow && !call.accepts(EVENT_STREAM)) {
    throw ApiError.because('invalid_request', `query.follow: needs the header Accept: ${EVENT_STREAM}`);
  }
  const job = await found;
  if (!follow) return redirectOr(await readLogs(output, job, { stream, full, offset, limit, attempt }));
  const request = { stream, attempt, offset, lastEventId: headers['last-event-id'] };
  const events = followLogs({ ...output, pause, admit: call.reauthorize }, job, request);
  return { headers: { 'content-type': EVENT_STREAM }, body: events };
});
