/** What these requests can't make functions access, although their routes declare it, by what makes them do so. */
const BY_REASON: Readonly<Record<string, readonly string[]>> = {
  'the pages of the sign-in are no operations: test/api/access/sign-in.test.ts': [
    'auth.callback sessions: end',
    'auth.sign-out audited: true',
    'auth.sign-out sessions: end',
  ],
  'keeps the code of a login that is in progress: test/api/access/vendor-account.test.ts': [
    'codex-account.read registry: write',
  ],
  'needs a binding that makes signed calls: test/api/catalog/deploy-bindings.test.ts': [
    'deploy-bindings.delete bindingSecrets: write',
    'deploy-bindings.write bindingSecrets: write',
    'deployments.retry deliveries: send',
  ],
  'the job has changes in a repository, which the answer counts: test/api/runs/repository-jobs.test.ts': [
    ...['answer', 'cancel', 'delete', 'kill', 'read', 'retry', 'submit'].map((name) => `jobs.${name} output: read`),
  ],
  'texts that are too large for the table: test/lib/jobs/store/job-texts.test.ts': [
    ...['create', 'edit', 'edit-draft', 'replace'].map((name) => `jobs.${name} output: write`),
  ],
  'the prompt is edited: test/api/jobs/job-actions.test.ts': [
    ...['edit', 'edit-draft', 'replace'].map((name) => `jobs.${name} registry: write`),
  ],
  'the job waits again: test/api/jobs/questions.test.ts, test/api/jobs/job-actions.test.ts': [
    'jobs.answer dispatchQueues: send',
    'jobs.replace dispatchQueues: send',
  ],
  'the job is in a thread: test/api/threads': [
    ...['cancel', 'delete'].map((name) => `jobs.${name} dispatchQueues: send`),
    ...['cancel', 'delete', 'retry', 'submit'].map((name) => `jobs.${name} registry: write`),
  ],
  'all actions share the client, and this one never queues a job': [
    ...['edit-draft', 'kill'].map((name) => `jobs.${name} dispatchQueues: send`),
  ],
  'a list of one state: test/api/jobs/list-filters.test.ts': ['jobs.list jobIndexes: by-status-2'],
  'the job runs while its log is followed: test/api/output/follow-logs.test.ts': [
    ...['followSlots: write', 'jobs: write', 'registry: read'].map((access) => `jobs.logs ${access}`),
  ],
  'the record of the job differs from its output: test/lib/jobs/reread/reread-job.test.ts': [
    ...['dispatchQueues: send', 'jobs: write', 'output: write', 'registry: write'].map(
      (access) => `jobs.reread-logs ${access}`,
    ),
  ],
  'the job is parked, and the answer says why: test/api/jobs/parked-jobs.test.ts': ['jobs.result registry: read'],
};

export const UNREACHED_ACCESS = new Set(Object.values(BY_REASON).flat());
