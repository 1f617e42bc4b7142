import type { Mutant } from '../mutant.ts';

/** How the commands of bindings are run: once for each success, alone in their folder, and to an end. */
export const DEPLOYMENTS: readonly Mutant[] = [
  {
    name: 'a success does not record that it is to be deployed',
    file: 'lib/jobs/dispatch/end-attempt.ts',
    find: "{ type: 'end', receipt, bindings }",
    replace: "{ type: 'end', receipt, bindings: false }",
  },
  {
    name: 'deployments count as done while one of them is not',
    file: 'lib/deployments/start-deployments.ts',
    find: 'if (!all.filter((one) => one.attempt === attempt).every(isFinal)) return latest;',
    replace: 'if (!all.filter((one) => one.attempt === attempt).some(isFinal)) return latest;',
  },
  {
    name: 'the end of a deployment does not look for a retry that came first',
    file: 'lib/deployments/start-deployments.ts',
    find: "{ type: 'deployed', attempt }, { rounds: 1 }",
    replace: "{ type: 'deployed', attempt }",
    test: 'test/lib/deployments/retry-deployment.test.ts',
  },
  {
    name: 'a retry relies on a mark that may just be removed',
    file: 'lib/deployments/retry-deployment.ts',
    find: 'await context.jobs.applyWith(job, decision.job, put);',
    replace:
      'decision.job === job && (await context.deployments.replace(known, next)) ? { applied: true as const } : await context.jobs.applyWith(job, decision.job, put);',
    test: 'test/lib/deployments/retry-deployment.test.ts',
  },
  {
    name: 'commands begin beside others of their job',
    file: 'worker-container/deployments/deploy-commands.ts',
    find: "if (open.some(({ state }) => state === 'running')) return;",
    replace: "if (next.state === 'running') return;",
    test: 'test/worker-container/deployments/deploy-commands.test.ts',
  },
  {
    name: 'commands run on that were given up',
    file: 'worker-container/deployments/deploy-commands.ts',
    find: 'AbortSignal.any([stopping, givenUp])',
    replace: 'AbortSignal.any([stopping])',
    test: 'test/worker-container/deployments/deploy-commands.test.ts',
  },
  {
    name: 'commands begin although their job has changed',
    file: 'worker-container/deployments/begin-commands.ts',
    find: 'if (isStillDue && (await context.jobs.apply(job, job)).applied) return running;',
    replace: 'if (isStillDue) return running;',
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'commands begin although a later turn is about to run',
    file: 'worker-container/deployments/begin-commands.ts',
    find: "if (when === 'later') return 'later';",
    replace: '',
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'a turn begins while commands run',
    file: 'lib/jobs/threads/read-thread.ts',
    find: "if (job !== undefined && job !== 'newer' && (await runsBindings(context, job)))",
    replace: "if (job === 'newer' && (await runsBindings(context, job as never)))",
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'commands of a job that was run again are run',
    file: 'worker-container/deployments/deploy-commands.ts',
    find: "return job.status === 'SUCCEEDED' && job.attempt === known.attempt ? undefined : 'The job was run again before.';",
    replace: 'return undefined;',
    test: 'test/worker-container/deployments/deploy-commands.test.ts',
  },
  {
    name: 'nobody fails the commands of a worker that was lost',
    file: 'lib/deployments/reconcile-deployments.ts',
    find: '    else await fail(context, one, now);\n',
    replace: '    else running.push(one);\n',
  },
  {
    name: 'the commands of a worker that lives are given up',
    file: 'lib/deployments/reconcile-deployments.ts',
    find: "if (!isOver && (await isLive(one.worker_id ?? ''))) running.push(one);",
    replace: "if (isOver && (await isLive(one.worker_id ?? ''))) running.push(one);",
  },
  {
    name: 'a worker that has just started is taken for lost',
    file: 'lib/deployments/reconcile-deployments.ts',
    find: 'if (!known.has(workerId)) known =',
    replace: 'if (known.size === 0) known =',
    test: 'test/lib/deployments/lost-commands.test.ts',
  },
  {
    name: 'a turn waits for commands that wait for the turn',
    file: 'lib/deployments/commands-in-thread.ts',
    find: '  if (job.thread_id !== undefined) await settleThread(context, job.thread_id);\n',
    replace: '',
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'nobody offers commands again whose message was lost',
    file: 'lib/deployments/reconcile-deployments.ts',
    find: 'await announce(context, job, one, { toWorkers: true });',
    replace: 'await announce(context, job, one);',
  },
  {
    name: 'commands that are held are never offered again',
    file: 'lib/jobs/threads/settle-thread.ts',
    find: "    else if ((await transition(context, job, { type: 'release_commands' })).done)\n      await context.dispatchQueues.send(job, { deploy: true });\n",
    replace: '',
  },
  {
    name: 'a job counts as deployed by bindings that have no deployment yet',
    file: 'lib/deployments/start-deployments.ts',
    find: 'return isComplete ? await unmarkIfDone(context, job, attempt) : job;',
    replace: 'return await unmarkIfDone(context, job, attempt);',
    test: 'test/lib/deployments/retry-deployment.test.ts',
  },
];
