import type { Mutant } from '../mutant.ts';

const RECORD = 'worker-container/prompt/thread-record.ts';
const RECORD_TEST = 'test/worker-container/prompt/thread-record.test.ts';

/** How the turns of a thread keep their order. */
export const THREADS: readonly Mutant[] = [
  {
    name: 'a record of the thread is longer than the agent takes',
    file: RECORD,
    find: 'Math.min(LIMITS.threadRecordBytes, most -',
    replace: 'Math.max(LIMITS.threadRecordBytes, most -',
    test: RECORD_TEST,
  },
  {
    name: 'turns are left out of the record of a thread without a warning',
    file: RECORD,
    find: '(leftOut > 0 || cutTurns > 0) &&',
    replace: 'cutTurns > 0 &&',
    test: RECORD_TEST,
  },
  {
    name: 'the rules of turns that are left out of the record are lost',
    file: RECORD,
    find: 'if (unread <= 0) continue;',
    replace: 'if (unread <= 0) break;',
    test: RECORD_TEST,
  },
  {
    name: 'a turn starts while a lower one has not ended',
    file: 'lib/jobs/threads/read-thread.ts',
    find: 'if (open !== undefined) return { job: open.jobId, stopped: false };',
    replace: '',
  },
  {
    name: 'a turn starts after one that failed',
    file: 'lib/jobs/threads/read-thread.ts',
    find: "before.job?.status !== 'SUCCEEDED')",
    replace: "before.job?.status === 'QUEUED')",
  },
  {
    name: 'two turns start at once',
    file: 'lib/jobs/admission/enter-thread.ts',
    find: 'mayEnter: isMine && wait === undefined',
    replace: 'mayEnter: wait === undefined',
    test: 'test/lib/jobs/admission/enter-thread.test.ts',
  },
  {
    name: 'the thread of an ended job is not looked at',
    file: 'lib/jobs/lifecycle/pending-work.ts',
    find: 'return job.thread_id === undefined && job.forked_from === undefined ? job : { ...job, thread_pending: true };',
    replace: 'return job;',
  },
  {
    name: 'nobody continues the thread of an ender that died',
    file: 'lib/reconciler/reconciler.ts',
    find: '  await continueThreads(context);\n',
    replace: '',
  },
  {
    name: 'commands of a binding work in a folder beside the next turn',
    file: 'lib/jobs/threads/read-thread.ts',
    find: '(await runsBindings(context, job)))',
    replace: 'job.removing)',
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'commands of a binding act while a later turn waits',
    file: 'lib/jobs/threads/commands-turn.ts',
    find: "? 'now' : 'later'",
    replace: "? 'now' : 'now'",
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'commands that wait for their thread are not offered again',
    file: 'lib/jobs/threads/settle-thread.ts',
    find: 'if (isSettled) return await wakeCommands(context, turns, ended);',
    replace: 'if (isSettled) return;',
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'commands begin although the job was retried or forked meanwhile',
    file: 'worker-container/deployments/begin-commands.ts',
    find: 'if (isStillDue && (await context.jobs.apply(job, job)).applied) return running;',
    replace: 'return running;',
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'a job is retried while a command works in its folder',
    file: 'lib/jobs/admission/retry-turn.ts',
    find: 'if (await runsBindings(context, job))',
    replace: 'if (job.removing)',
    test: 'test/worker-container/deployments/begin-commands.test.ts',
  },
  {
    name: 'a folder is deleted while a follow-up job waits in it',
    file: 'lib/jobs/threads/folder-users.ts',
    find: '...children.values()];',
    replace: '];',
    test: 'test/worker-container/workspace/sweep-workspaces.test.ts',
  },
  {
    name: 'a job continues in a folder that was deleted',
    file: 'lib/jobs/creation/continuation.ts',
    find: "  if (keepsFolder) await requireFolder(context, job, 'continue');",
    replace: '',
    test: 'test/lib/jobs/creation/continue-job.test.ts',
  },
  {
    name: 'a job is forked whose folder was deleted',
    file: 'lib/jobs/creation/forking.ts',
    find: "  await requireFolder(context, source, 'fork');",
    replace: '',
    test: 'test/lib/jobs/creation/continue-job.test.ts',
  },
  {
    name: 'a thread gets further secrets without a request',
    file: 'lib/jobs/creation/named-grants.ts',
    find: '.filter((name) => !granted.secrets.includes(name));',
    replace: '.filter(() => false);',
    test: 'test/lib/jobs/creation/continue-job.test.ts',
  },
  {
    name: 'two jobs take one turn',
    file: 'lib/jobs/threads/thread-store.ts',
    find: ", ConditionExpression: 'attribute_not_exists(id)'",
    replace: '',
  },
  {
    name: 'a job is retried although a later turn has begun',
    file: 'lib/jobs/admission/retry-turn.ts',
    find: 'if (later !== undefined) throw refuse(why',
    replace: 'if (later !== undefined && later.turn < turn) throw refuse(why',
    test: 'test/api/threads/middle-of-a-thread.test.ts',
  },
];
