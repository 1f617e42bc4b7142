import type { Mutant } from '../mutant.ts';

/** How jobs and their follow-ups are made, once and with their texts. */
export const CREATION: readonly Mutant[] = [
  {
    name: 'the dispatch message of a created job is sent before its write',
    file: 'lib/jobs/creation/create-job.ts',
    find: '  const created = await store(context, job);',
    replace:
      "  if (job.status === 'QUEUED') await dispatch(context, job);\n  const created = await store(context, job);",
  },
  {
    name: 'a created job has no dispatch message',
    file: 'lib/jobs/creation/create-job.ts',
    find: 'if (threadId === undefined) await dispatch(context, job);',
    replace: '',
  },
  {
    name: 'a queue that refuses the dispatch message fails the creation',
    file: 'lib/jobs/creation/create-job.ts',
    find: '  await dispatchQueues.send(job).catch((error: Error) => {',
    replace: '  await dispatchQueues.send(job).catch((error: Error) => {\n    throw error;',
    test: 'test/lib/jobs/creation/create-job.test.ts',
  },
  {
    name: 'texts are written after the job',
    file: 'lib/jobs/creation/create-job.ts',
    find: '  await context.texts.put(job, texts);\n  const created = await store(context, job);',
    replace: '  const created = await store(context, job);\n  await context.texts.put(job, texts);',
  },
  {
    name: 'an idempotency key does not decide the id',
    file: 'lib/jobs/creation/create-job.ts',
    find: '(key === undefined ? undefined : jobIdOfOwnedKey(origin?.keyOwner ?? createdBy, key))',
    replace: '(key === undefined ? undefined : undefined)',
  },
  {
    name: 'the id of a job that is being removed answers a repeated key',
    file: 'lib/jobs/creation/create-job.ts',
    find: "if (known.removing === true) throw ApiError.of('unavailable', undefined, REMOVAL_RETRY_SECONDS);",
    replace: '',
    test: 'test/lib/jobs/creation/create-job.test.ts',
  },
  {
    name: 'a follow-up has another id each time',
    file: 'lib/jobs/creation/follow-ups.ts',
    find: 'id: followUpId(parent.id, attempt, position)',
    replace: 'id: followUpId(parent.id, attempt, Math.floor(Math.random() * 1e9))',
  },
  {
    name: 'follow-ups of two attempts have the same ids',
    file: 'lib/jobs/lifecycle/job-id.ts',
    find: 'attempt: number, position: number): string {',
    replace: 'attempt: number, position: number): string {\n  attempt = 0;',
  },
  {
    name: 'a success does not note that its follow-ups are to be made',
    file: 'lib/jobs/lifecycle/follow-up-record.ts',
    find: '  if (asked.length === 0) return job;',
    replace: '  if (asked.length >= 0) return job;',
  },
  {
    name: 'texts are read only in the cheaper way',
    file: 'lib/jobs/store/job-texts.ts',
    find: ' ?? (await this.#item(owner, true))',
    replace: '',
    test: 'test/lib/jobs/store/job-texts.test.ts',
  },
];
