import { hasScope } from '../../lib/access/authorize.ts';
import { createRecord } from '../../lib/api/runtime/record.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { RECORD_SCOPES, readRecord as route } from '../../lib/contract/routes/record.ts';
import { recordArchive } from '../../lib/jobs/record/record-archive.ts';
import { recordParts } from '../../lib/jobs/record/record-parts.ts';
import { attemptsOf } from '../../lib/jobs/views/attempts.ts';

/** `GET /jobs/{id}/record` */
export const handler = handleJob(route, createRecord, async (_input, { core, principal }, context, found) => {
  const options = { enforceScopes: core.env.PROMPTQ_API_SCOPE_ENFORCE };
  const lacking = RECORD_SCOPES.find((scope) => !hasScope(principal, scope, options));
  if (lacking !== undefined) throw ApiError.of('forbidden', { required_scope: lacking });
  const job = await found;
  const further = async () => ({ queue: null, attempts: await attemptsOf(context, job), waits_for: job.waits_for });
  const view = await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT, further());
  const date = new Date(context.clock.now());
  const head = { format: 1, job_id: job.id, made_at: date.toISOString(), version: core.env.PROMPTQ_VERSION };
  return {
    headers: {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${job.id}.zip"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: recordArchive(recordParts(context, job, view), { head, limit: LIMITS.recordBytes, date }),
  };
});
