import type { Mutant } from '../mutant.ts';

/** What an attempt keeps, and says it kept, when its machine fails. */
export const ATTEMPT_ENDS: readonly Mutant[] = [
  {
    name: 'a log of a setup command that fails ends the worker',
    file: 'worker-container/repository/setup-command.ts',
    find: "log.on('error',",
    replace: "log.on('drain' as 'error',",
    test: 'test/worker-container/repository/setup-command.test.ts',
  },
  {
    name: 'processes that survive SIGKILL are the failure of their attempt',
    file: 'worker-container/commands/process-tree.ts',
    find: 'if (error instanceof SurvivingProcessesError) return error.pids;',
    replace: '',
    test: 'test/worker-container/attempt/surviving-processes.test.ts',
  },
  {
    name: 'an attempt whose local files are not removed is a failure',
    file: 'worker-container/attempt/attempt.ts',
    find: "await run.dispose().catch((error: Error) => log.warn('files of the output not removed', error));",
    replace: 'await run.dispose();',
    test: 'test/worker-container/attempt/attempt.test.ts',
  },
  {
    name: 'an agent that had exited when its output was lost has succeeded',
    file: 'worker-container/attempt/finish-agent.ts',
    find: '? (fault ?? ending) : ending;',
    replace: '? ending : (fault ?? ending);',
    test: 'test/worker-container/attempt/finish-agent.test.ts',
  },
  {
    name: "a lost attempt reads the next one's worktree",
    file: 'worker-container/attempt/finish-agent.ts',
    find: "ending.reason === 'lost' || (ending.reason === 'stopping'",
    replace: "(ending.reason === 'stopping'",
    test: 'test/worker-container/attempt/finish-agent.test.ts',
  },
  {
    name: 'the changes of a finished agent are not read while its worker stops',
    file: 'worker-container/attempt/finish-agent.ts',
    find: "(ending.reason === 'stopping' && !byItself);",
    replace: "ending.reason === 'stopping';",
    test: 'test/worker-container/attempt/finish-agent.test.ts',
  },
  {
    name: 'a stop after the end of an attempt is not noticed',
    file: 'worker-container/commands/ending.ts',
    find: "    if (reason === 'stopping' || reason === 'lost') this.#releasing.abort();\n    if (this.#reason === 'cancelled' && reason === 'killed') this.#reason = reason;\n    if (this.#reason !== undefined) return;\n",
    replace:
      "    if (this.#reason === 'cancelled' && reason === 'killed') this.#reason = reason;\n    if (this.#reason !== undefined) return;\n    if (reason === 'stopping' || reason === 'lost') this.#releasing.abort();\n",
    test: 'test/worker-container/commands/ending.test.ts',
  },
  {
    name: 'a worker that has to stop waits for the calls of git',
    file: 'worker-container/attempt/finish-agent.ts',
    find: "late.addEventListener('abort', () => ending.request('stopping'), { once: true });",
    replace: 'late.throwIfAborted();',
    test: 'test/worker-container/attempt/finish-agent.test.ts',
  },
  {
    name: 'a worker that has to stop writes all documents before the receipt',
    file: 'worker-container/attempt/attempt-report.ts',
    find: 'AbortSignal.any([receiving.signal, releasing])',
    replace: 'receiving.signal',
    test: 'test/worker-container/attempt/attempt-report.test.ts',
  },
  {
    name: 'a command of a binding waits for processes that escaped it',
    file: 'worker-container/commands/bash-command.ts',
    find: '    for (const pipe of [tree.stdout, tree.stderr]) pipe.destroy();\n',
    replace: '',
    test: 'test/worker-container/commands/bash-command.test.ts',
  },
  {
    name: 'a worker with surviving processes of a command of a binding continues',
    file: 'worker-container/deployments/deploy-commands.ts',
    find: '      context.onSurvivors?.();\n',
    replace: '',
    test: 'test/worker-container/deployments/surviving-commands.test.ts',
  },
  {
    name: 'a worker with surviving processes of a setup command continues',
    file: 'worker-container/commands/preparing-process.ts',
    find: '    if (survivors.length > 0) onSurvivors?.();\n',
    replace: '',
    test: 'test/worker-container/repository/setup-command.test.ts',
  },
  {
    name: 'the end of a lost attempt reads its output for follow-ups',
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: 'await afterLoss(context, job, result.job)',
    replace: "await (await import('./after-attempt.ts')).afterAttempt(context, job, result.job)",
    test: 'test/lib/jobs/creation/follow-ups.test.ts',
  },
  {
    name: 'the usage of a lost attempt is taken from its output, and counted again with the next attempt',
    file: 'lib/jobs/reread/reread-job.ts',
    find: 'job.usage !== undefined || isCountedLater)',
    replace: 'isCountedLater === undefined)',
    test: 'test/lib/jobs/reread/reread-job.test.ts',
  },
];
