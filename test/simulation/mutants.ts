/** One change that takes a safeguard out of a real module. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What sees it where another safeguard keeps the simulator from doing so. */
  readonly test?: string;
}

/** Each must be caught by the simulator or a test. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a change is not conditional on the version',
    file: 'lib/jobs/job-store.ts',
    find: '`#version = :known_version$',
    replace: '`(#version = :known_version OR #version <> :known_version)$',
  },
  {
    name: 'a takeover is not conditional on the lease',
    file: 'lib/jobs/job-store.ts',
    find: 'sameLease && known.lease_until',
    replace: 'false && known.lease_until',
    test: 'test/lib/jobs/takeover.test.ts',
  },
  {
    name: 'a creation is not conditional on a free id',
    file: 'lib/jobs/job-store.ts',
    find: "ConditionExpression: 'attribute_not_exists(id)'",
    replace: "ConditionExpression: 'attribute_not_exists(id) OR attribute_exists(id)'",
  },
  {
    name: 'a write that was applied without an answer is not recognised',
    file: 'lib/jobs/job-store.ts',
    find: 'current?.change_id === changeId ?',
    replace: 'current === undefined ?',
    test: 'test/lib/jobs/claim.test.ts',
  },
  {
    name: 'a heartbeat does not ask for its attempt',
    file: 'lib/jobs/job-store.ts',
    find: "'#status = :running AND #attempt = :attempt'",
    replace: "'#status = :running AND (#attempt = :attempt OR #attempt <> :attempt)'",
    test: 'test/lib/jobs/takeover.test.ts',
  },
  {
    name: 'a heartbeat does not ask whether the job runs',
    file: 'lib/jobs/job-store.ts',
    find: "'#status = :running AND #attempt = :attempt'",
    replace: "'(#status = :running OR #status <> :running) AND #attempt = :attempt'",
  },
  {
    name: 'a change that makes a job ready sends no permit',
    file: 'lib/jobs/transition.ts',
    find: 'if (needsPermit(job, decision.job))\n',
    replace: 'if (false)\n',
  },
  {
    name: 'a created job gets no permit',
    file: 'lib/jobs/create-job.ts',
    find: "if (job.status === 'QUEUED') await",
    replace: "if (job.status !== 'QUEUED') await",
  },
  {
    name: 'texts are not written before the job',
    file: 'lib/jobs/create-job.ts',
    find: 'await context.texts.put(job, texts);',
    replace: '',
  },
  {
    name: 'a takeover does not read the receipt',
    file: 'lib/jobs/watch-jobs.ts',
    find: 'await context.readReceipt(job.id, job.attempt)',
    replace: 'await Promise.resolve(undefined)',
  },
  {
    name: 'a loss is judged anew after somebody else was faster',
    file: 'lib/jobs/watch-jobs.ts',
    find: "{ type: 'lose' }, { rounds: 1 }",
    replace: "{ type: 'lose' }",
    test: 'test/lib/jobs/takeover.test.ts',
  },
  {
    name: 'the watch does not look at leases',
    file: 'lib/jobs/watch-jobs.ts',
    find: '!leaseIsOver(job, timestamp(context.clock.now()))',
    replace: 'false',
  },
  {
    name: 'a loss does not look at the lease',
    file: 'lib/jobs/lifecycle.ts',
    find: "if (!leaseIsOver(job, at)) return { refused: 'the lease still holds' };",
    replace: '',
    test: 'test/lib/jobs/lifecycle.test.ts',
  },
  {
    name: 'every lease counts as over',
    file: 'lib/jobs/lease.ts',
    find: 'job.lease_until < nowIso',
    replace: 'job.lease_until < "9"',
  },
  {
    name: 'the watch sends no permits',
    file: 'lib/jobs/watch-jobs.ts',
    find: 'await context.permits.send(job);',
    replace: '',
  },
  {
    name: 'a report does not present its fence',
    file: 'lib/jobs/lifecycle.ts',
    find: 'if (job.attempt !== event.receipt.attempt)',
    replace: 'if (false)',
    test: 'test/lib/jobs/lifecycle.test.ts',
  },
  {
    name: 'a report does not ask whether the job runs',
    file: 'lib/jobs/lifecycle.ts',
    find: "case 'end':\n      if (job.status !== 'RUNNING')",
    replace: "case 'end':\n      if (false)",
  },
  {
    name: 'what was asked to be cancelled is queued again after an attempt',
    file: 'lib/jobs/lifecycle.ts',
    find: "if (job.cancel_requested_at !== undefined || outcome.kind === 'cancelled')",
    replace: "if (outcome.kind === 'cancelled')",
  },
  {
    name: 'what was asked to be cancelled is queued again after a loss',
    file: 'lib/jobs/lifecycle.ts',
    find: 'function afterLoss(job: Job, at: string): Job {\n  if (job.cancel_requested_at !== undefined)',
    replace: 'function afterLoss(job: Job, at: string): Job {\n  if (false)',
  },
  {
    name: 'a retry keeps what was asked before',
    file: 'lib/jobs/lifecycle.ts',
    find: 'cancel_requested_at: _asked,',
    replace: '',
  },
  {
    name: 'a job is claimed before it is due',
    file: 'lib/jobs/lifecycle.ts',
    find: 'if (job.due_at !== undefined && job.due_at > at)',
    replace: 'if (false)',
    test: 'test/lib/jobs/lifecycle.test.ts',
  },
  {
    name: 'a parked job is claimed',
    file: 'lib/jobs/lifecycle.ts',
    find: 'if (job.parked !== undefined) return { refused: `the job is parked',
    replace: 'if (false) return { refused: `the job is parked',
    test: 'test/lib/jobs/lifecycle.test.ts',
  },
  {
    name: 'retries are not counted',
    file: 'lib/jobs/lifecycle.ts',
    find: 'retries_used: used + 1,',
    replace: '',
  },
  {
    name: 'losses are not counted',
    file: 'lib/jobs/lifecycle.ts',
    find: "reason: 'worker_lost', losses, updated_at",
    replace: "reason: 'worker_lost', updated_at",
  },
  {
    name: 'counts are not conditional on the checkpoint',
    file: 'lib/jobs/counts.ts',
    find: "'checkpoints.#shard = :checkpoint'",
    replace: "'checkpoints.#shard = :checkpoint OR checkpoints.#shard <> :checkpoint'",
  },
  {
    name: 'counts take a batch anew',
    file: 'lib/jobs/counts.ts',
    find: 'checkpoint === undefined || BigInt(change.sequence) > BigInt(checkpoint)',
    replace: 'true || change',
  },
  {
    name: 'a permit that found nothing is dropped at once',
    file: 'lib/jobs/claim.ts',
    find: 'held.receives > GIVE_BACKS.times ?',
    replace: 'true ?',
  },
  {
    name: 'a permit does not look at its own job',
    file: 'lib/jobs/claim.ts',
    find: 'if (own === undefined || !isReady(own)) return undefined;',
    replace: 'if (own !== null) return undefined;',
    test: 'test/lib/jobs/claim.test.ts',
  },
  {
    name: 'texts are read only in the cheaper way',
    file: 'lib/jobs/job-texts.ts',
    find: ' ?? (await this.#item(owner, true))',
    replace: '',
  },
  {
    name: 'the receipt is not written',
    file: 'worker-container/attempt-report.ts',
    find: 'await context.output.putReceipt(receipt);',
    replace: '',
  },
  {
    name: 'a worker does not fence itself',
    file: 'worker-container/heartbeat.ts',
    find: 'if (now - this.#acknowledgedAt > LEASE.selfFence) return this.#lost();',
    replace: '',
    test: 'test/worker-container/heartbeat.test.ts',
  },
  {
    name: 'no heartbeat is sent',
    file: 'worker-container/heartbeat.ts',
    find: 'if (now - this.#beatAt >= LEASE.heartbeatEvery)',
    replace: 'if (false)',
    test: 'test/worker-container/heartbeat.test.ts',
  },
  {
    name: 'a worker does not hear of a cancellation',
    file: 'worker-container/heartbeat.ts',
    find: 'if (current.cancel_requested_at !== undefined)',
    replace: 'if (false)',
  },
  {
    name: 'a look for starving jobs that fails ends the worker',
    file: 'worker-container/permit-source.ts',
    find: 'this.#options.onFailure(error);\n      return undefined;\n    }\n  }\n\n  async #wait',
    replace: 'throw error;\n    }\n  }\n\n  async #wait',
  },
];
