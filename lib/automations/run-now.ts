import { ApiError } from '../contract/errors.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { untilFirst } from '../platform/until-first.ts';
import { withEnds } from './automation.ts';
import { type FireContext, finishFiring, jobsOf, ownerCanCreate, record } from './fire-due.ts';
import { findAutomation } from './write-automation.ts';

/**
 * Creates the job of an automation now, by the way that its due instants take, so that it is in the history whatever dies.
 * @param reference id or name
 * @returns the id of the job
 * @throws ApiError `not_found`; `invalid_state` if its overlap or its owner allows no job now, or the job can't be created
 */
export async function runNow(context: FireContext, reference: string): Promise<string> {
  return await untilFirst(async () => {
    const found = await findAutomation(context, reference);
    const known = found.firing === undefined ? found : await finishFiring(context, found);
    if (known === undefined) return undefined;
    const automation = withEnds(known, await jobsOf(context, known));
    const { jobs, overlap, owner } = automation;
    const running = jobs.at(-1);
    if (!(await ownerCanCreate(context, known)))
      throw refusal(`the token of its owner ${owner.name} no longer works; update the automation to become its owner`);
    if (running !== undefined && overlap === 'skip')
      throw refusal(`its job ${running} has not ended, and overlap is skip; cancel that job, or wait for it`);
    if (jobs.length > 1 && overlap === 'queue') throw refusal(`its job ${running} already waits for an earlier one`);
    const at = timestamp(context.clock.now());
    const run = { due: at, at, late_seconds: 0, manual: true, outcome: 'fired' } as const;
    const replaces = overlap === 'replace' && running !== undefined ? { replaces: jobs } : {};
    const written = await record(context, known, { automation, run, ...replaces });
    if (written?.firing === undefined) return undefined;
    const { job_id } = written.firing;
    const finished = await finishFiring(context, written);
    // A faster writer has created it too, if that is possible.
    const { last_run: last } = finished ?? (await findAutomation(context, reference));
    if (last?.outcome === 'failed' && last.due === at)
      throw ApiError.because('invalid_request', `the job could not be created: ${last.error ?? ''}`);
    return { result: job_id };
  });
}

function refusal(why: string): ApiError {
  return ApiError.because('invalid_state', `run: ${why}`, { action: 'run' });
}
