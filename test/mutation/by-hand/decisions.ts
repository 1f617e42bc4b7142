import type { Mutant } from '../mutant.ts';

/** How the life of a job is decided, watched and counted. */
export const DECISIONS: readonly Mutant[] = [
  {
    name: 'leases go by the own clock',
    file: 'lib/platform/aws/table-clock.ts',
    find: 'if (Number.isNaN(date)) return;',
    replace: 'if (date !== 0) return;',
  },
  {
    name: 'a batch of the stream is counted without the window it belongs to',
    file: 'lib/stats/counting/counts.ts',
    find: "':last': last,",
    replace: "':last': checkpoint ?? last,",
  },
  {
    name: 'a permit is sent after its write',
    file: 'lib/jobs/dispatch/transition.ts',
    find: 'await context.dispatchQueues.send(decision.job, { delaySeconds: secondsUntilDue(decision.job, now) });\n    const written = await context.jobs.apply(job, decision.job, { sameLease: checksLease(event, decision.job) });',
    replace:
      '{ const w = await context.jobs.apply(job, decision.job, { sameLease: checksLease(event, decision.job) }); await context.dispatchQueues.send(decision.job, { delaySeconds: secondsUntilDue(decision.job, now) }); if (w.applied) return { done: true, job: w.job }; job = w.current; continue; }\n    const written = await context.jobs.apply(job, decision.job, { sameLease: checksLease(event, decision.job) });',
  },
  {
    name: 'a change that was overtaken is not judged anew',
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
    name: 'a loss is judged anew after somebody else was faster',
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: "{ type: 'lose', forgiven: context.hadOutage?.() === true }, { rounds: 1 }",
    replace: "{ type: 'lose', forgiven: context.hadOutage?.() === true }",
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
    name: 'a retry keeps what was asked before',
    file: 'lib/jobs/lifecycle/lifecycle.ts',
    find: 'cancel_requested_at: _asked,',
    replace: '',
  },
  {
    name: 'a success is taken although a cancel was answered before it',
    file: 'lib/jobs/lifecycle/lifecycle.ts',
    find: "if (job.cancel_requested_at !== undefined || outcome.kind === 'cancelled') {",
    replace:
      "if (outcome.kind !== 'succeeded' && (job.cancel_requested_at !== undefined || outcome.kind === 'cancelled')) {",
  },
  {
    name: 'retries are not counted',
    file: 'lib/jobs/lifecycle/lifecycle.ts',
    find: 'retries_used: used + 1,',
    replace: '',
  },
  {
    name: 'losses are not counted',
    file: 'lib/jobs/lifecycle/lifecycle.ts',
    find: "reason: 'worker_lost', losses, updated_at",
    replace: "reason: 'worker_lost', updated_at",
  },
  {
    name: 'a probe that found something out goes on as one',
    file: 'lib/jobs/lifecycle/lifecycle.ts',
    find: "outcome.kind === 'handed_back' ? attempted : withoutProbe(attempted)",
    replace: 'attempted',
  },
  {
    name: 'a probe is recorded after it was let go',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: "    if (await context.probes.replace(reason, probe, next))\n      await transition(context, job, { type: 'unpark', reason, probe: true }, { rounds: 1 });",
    replace:
      "    await transition(context, job, { type: 'unpark', reason, probe: true }, { rounds: 1 });\n    await context.probes.replace(reason, probe, next);",
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
    name: 'whether it is time for a try is asked after the answers',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: "if ((listed.due_at ?? '') > at || (probe?.next_at ?? '') > at) return;",
    replace:
      "const later = timestamp(context.clock.now());\n    if (at === '' || (listed.due_at ?? '') > later || (probe?.next_at ?? '') > later) return;",
    test: 'test/lib/jobs/admission/parked-jobs.test.ts',
  },
  {
    name: 'a job that has tried meanwhile is let go again',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: ', { rounds: 1 });',
    replace: ');',
    test: 'test/lib/jobs/admission/probes.test.ts',
  },
];
