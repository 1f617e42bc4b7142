import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../lib/contract/errors.ts';
import { readLogs as route } from '../../lib/contract/routes/output.ts';
import { redirectOr } from '../../lib/http/redirect.ts';
import { serve } from '../../lib/http/serve.ts';
import { openFollowableOutput } from '../../lib/http/services.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { followLogs } from '../../lib/jobs/follow-logs.ts';
import { readLogs } from '../../lib/jobs/read-output.ts';

const EVENT_STREAM = 'text/event-stream';

/** `GET /jobs/{id}/logs` */
export const handler = serve(route, openFollowableOutput, async ({ params, query, headers }, call, output) => {
  const { stream = 'all', full, offset, attempt, follow } = query;
  if (follow && !call.accepts(EVENT_STREAM)) {
    throw ApiError.because('invalid_request', `query.follow: needs the header Accept: ${EVENT_STREAM}`);
  }
  const job = await findJob(output.jobs, params.id);
  if (!follow) return redirectOr(await readLogs(output, job, { stream, full, offset, attempt }));
  const request = { stream, attempt, offset, lastEventId: headers['last-event-id'] };
  const events = followLogs({ ...output, pause, admit: call.admit }, job, request);
  return { headers: { 'content-type': EVENT_STREAM }, body: events };
});
