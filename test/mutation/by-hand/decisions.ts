import type { Mutant } from '../mutant.ts';

const HOT_PROJECTS = 'test/lib/jobs/admission/hot-projects.test.ts';

/** How the lifecycle of a job is decided, reconciled and counted. */
export const DECISIONS: readonly Mutant[] = [
  {
    name: 'retention deletes a job that has not been deployed',
    file: 'lib/jobs/lifecycle/pending-work.ts',
    find: '[children_pending, bindings_pending, ',
    replace: '[children_pending, ',
    test: 'test/lib/jobs/decisions.test.ts',
  },
  {
    name: 'leases use the local clock',
    file: 'lib/platform/aws/table-clock.ts',
    find: 'if (Number.isNaN(date)) return;',
    replace: 'if (date !== 0) return;',
  },
  {
    name: 'a batch of the stream is counted without the window it belongs to',
    file: 'lib/stats/counting/counted-sums.ts',
    find: "':last': additions.at(-1)?.sequence,",
    replace: "':last': additions[0]?.sequence,",
  },
  {
    name: 'a dispatch message is sent after its write',
    file: 'lib/jobs/dispatch/transition.ts',
    find: 'await context.dispatchQueues.send(decision.job, { delaySeconds: secondsUntilDue(decision.job, now) });\n    const written = await context.jobs.apply(job, decision.job, { sameLease: checksLease(event, decision.job) });',
    replace:
      '{ const w = await context.jobs.apply(job, decision.job, { sameLease: checksLease(event, decision.job) }); await context.dispatchQueues.send(decision.job, { delaySeconds: secondsUntilDue(decision.job, now) }); if (w.applied) return { done: true, job: w.job }; job = w.current; continue; }\n    const written = await context.jobs.apply(job, decision.job, { sameLease: checksLease(event, decision.job) });',
  },
  {
    name: 'a change that was overtaken is not decided again',
    file: 'lib/jobs/dispatch/transition.ts',
    find: 'const MAX_ROUNDS = 10;',
    replace: 'const MAX_ROUNDS = 1;',
  },
  {
    name: 'a takeover does not read the receipt',
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: 'await knownReceipt(context, job)',
    replace: 'await Promise.resolve(undefined)',
  },
  {
    name: 'a loss is decided again after another process was faster',
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: 'used: await lostUsage(context.agentSessions, job) }, { rounds: 1 }',
    replace: 'used: await lostUsage(context.agentSessions, job) }',
    test: 'test/lib/reconciler/takeover.test.ts',
  },
  {
    name: 'a takeover is not conditional on the lease',
    file: 'lib/jobs/dispatch/transition.ts',
    find: '{ sameLease: checksLease(event, decision.job) }',
    replace: '{}',
    test: 'test/lib/reconciler/takeover.test.ts',
  },
  {
    name: 'a retry keeps an earlier request to end',
    file: 'lib/jobs/lifecycle/queued-again.ts',
    find: 'cancel_requested_at: _asked,',
    replace: '',
  },
  {
    name: 'a success is applied although a cancel was accepted before it',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: "if (job.cancel_requested_at !== undefined || outcome.kind === 'cancelled') {",
    replace:
      "if (outcome.kind !== 'succeeded' && (job.cancel_requested_at !== undefined || outcome.kind === 'cancelled')) {",
  },
  {
    name: 'retries are not counted',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: 'retries_used: used + 1,',
    replace: '',
  },
  {
    name: 'losses are not counted',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: "reason: 'worker_lost', losses, updated_at",
    replace: "reason: 'worker_lost', updated_at",
  },
  {
    name: 'a conclusive probe stays a probe',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: "outcome.kind === 'handed_back' ? attempted : withoutProbe(attempted)",
    replace: 'attempted',
  },
  {
    name: 'a probe is recorded after its release',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: "  if (await context.probes.replace(reason, probe, next))\n    await transition(context, job, { type: 'unpark', reason, probe: true }, { rounds: 1 });",
    replace:
      "  await transition(context, job, { type: 'unpark', reason, probe: true }, { rounds: 1 });\n  await context.probes.replace(reason, probe, next);",
    test: 'test/lib/jobs/admission/parked-jobs.test.ts',
  },
  {
    name: 'a dead letter is deleted before it is sent again',
    file: 'lib/jobs/dispatch/dispatch-queues.ts',
    find: '        if (message !== undefined) await this.#put(message, 0);\n        const { ReceiptHandle } = sqsMessage;\n        await this.#client.send(new DeleteMessageCommand({ QueueUrl: deadLetters, ReceiptHandle }));',
    replace:
      '        const { ReceiptHandle } = sqsMessage;\n        await this.#client.send(new DeleteMessageCommand({ QueueUrl: deadLetters, ReceiptHandle }));\n        if (message !== undefined) await this.#put(message, 0);',
    test: 'test/lib/jobs/dispatch/redrive-dead-letters.test.ts',
  },
  {
    name: 'the time for a probe is checked after the reads',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: "if ((listed.due_at ?? '') > at || (probe?.next_at ?? '') > at || ",
    replace:
      "const later = timestamp(context.clock.now());\n    if (at === '' || (listed.due_at ?? '') > later || (probe?.next_at ?? '') > later || ",
    test: 'test/lib/jobs/admission/parked-jobs.test.ts',
  },
  {
    name: 'a job that has probed meanwhile is released again',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: ', { rounds: 1 });',
    replace: ');',
    test: 'test/lib/jobs/admission/probes.test.ts',
  },
  {
    name: 'jobs that await an event are read with those that are ready',
    file: 'lib/jobs/indexes/list-keys.ts',
    find: "if (!isAwaiting(parked)) return status;\n  return parked === 'question' ? ASKING_STATES.QUEUED : AWAITING_STATE;",
    replace: 'return status;',
    test: 'test/lib/jobs/admission/awaited-events.test.ts',
  },
  {
    name: 'jobs that wait for their vendor, a folder or a profile are read with those that are ready',
    file: 'lib/jobs/indexes/list-keys.ts',
    find: '  if (isBusy(parked) || isForVendor(parked)) return HELD_STATE;\n',
    replace: '',
    test: 'test/lib/workers/scaling/read-demand.test.ts',
  },
  {
    name: 'the reconciler does not find the jobs that wait for a folder or a profile',
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '{ ...options, held: true }',
    replace: 'options',
    test: 'test/lib/workers/scaling/read-demand.test.ts',
  },
  {
    name: 'lists leave out the jobs that await an event',
    file: 'lib/jobs/indexes/list-keys.ts',
    find: 'QUEUED_STATES[queued] : [status]',
    replace: '[status] : [status]',
    test: 'test/lib/jobs/admission/awaited-events.test.ts',
  },
  {
    name: 'jobs that await an event count as demand for workers',
    file: 'lib/stats/counting/counts.ts',
    find: '? state : status;',
    replace: '? status : status;',
    test: 'test/lib/jobs/admission/awaited-events.test.ts',
  },
  {
    name: 'a job that leaves a hot project stays in one of its partitions',
    file: 'lib/jobs/creation/edit-job.ts',
    find: 'project: project.name, spread: undefined }',
    replace: 'project: project.name }',
    test: HOT_PROJECTS,
  },
  {
    name: 'the jobs of a hot project are offered past one that was not read',
    file: 'lib/jobs/admission/ready-jobs.ts',
    find: 'jobs.filter((job) => readyOrder(job) <= end)',
    replace: 'jobs',
    test: HOT_PROJECTS,
  },
  {
    name: 'the partitions of a hot project are not merged by priority',
    file: 'lib/jobs/admission/ready-jobs.ts',
    find: '.toSorted((a, b) => compare(readyOrder(a), readyOrder(b)))',
    replace: '',
    test: HOT_PROJECTS,
  },
  {
    name: 'a worker claims from one partition of a project that turns out to be hot',
    file: 'lib/jobs/admission/claim.ts',
    find: 'if (reads.isSpread && !context.hotProjects.has(job.project_id)) {',
    replace: 'if (false) {',
    test: HOT_PROJECTS,
  },
  {
    name: 'a message without work does not ask whether its project is hot',
    file: 'lib/jobs/admission/claim.ts',
    find: 'if (isSpread || !(await context.projectSettings.isSpread(project))) return undefined;',
    replace: 'if (hotProjects.size >= 0) return undefined;',
    test: HOT_PROJECTS,
  },
  {
    name: 'a running job without a lease is not checked',
    file: 'lib/jobs/store/job-store.ts',
    find: "typeof until === 'string' && until >= now",
    replace: 'until === undefined || String(until) >= now',
    test: 'test/lib/reconciler/many-running.test.ts',
  },
  {
    name: 'a write that meets a transaction fails',
    file: 'lib/platform/beside-transactions.ts',
    find: ' || tries === MAX_TRIES)',
    replace: ' || tries > 0)',
    test: 'test/lib/jobs/store/beside-transactions.test.ts',
  },
];
