import type { Mutant } from '../mutant.ts';

/** How a folder is given to one job at a time. */
export const FOLDERS: readonly Mutant[] = [
  {
    name: 'a place is given away while an attempt has it',
    file: 'lib/jobs/admission/slots.ts',
    find: "  if (job.status === 'RUNNING')\n    return job.folder !== id && job.place !== id && !(job.thread_id !== undefined && threadSlot(job.thread_id) === id);\n",
    replace: '',
  },
  {
    name: 'a place is taken on no condition',
    file: 'lib/jobs/admission/slots.ts',
    find: "ConditionExpression: 'attribute_not_exists(id)'",
    replace: "ConditionExpression: 'attribute_not_exists(id) OR attribute_exists(id)'",
    test: 'test/lib/jobs/admission/folder-slots.test.ts',
  },
  {
    name: 'a claim that is doubted is not refused',
    file: 'lib/jobs/admission/slots.ts',
    find: 'return (await context.jobs.apply(job, job)).applied;',
    replace: 'return true;',
    test: 'test/lib/jobs/admission/folder-slots.test.ts',
  },
  {
    name: 'nobody looks for folders that have become free',
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '() => wakeIfFree(context, folder)',
    replace: '() => undefined',
    test: 'test/lib/jobs/admission/folder-slots.test.ts',
  },
  {
    name: 'a profile has one place more than it says',
    file: 'lib/jobs/admission/profile-slots.ts',
    find: 'Array.from({ length: profile.concurrency }',
    replace: 'Array.from({ length: profile.concurrency + 1 }',
  },
  {
    name: 'a job is claimed whether it has a place or not',
    file: 'lib/jobs/admission/profile-slots.ts',
    find: "return 'busy';",
    replace: 'return { place: undefined };',
  },
  {
    name: 'a place that a claim holds counts before the claim only',
    file: 'lib/jobs/lifecycle/lifecycle.ts',
    find: '...(place !== undefined && { place }),',
    replace: '',
  },
  {
    name: 'nobody looks for places that have become free',
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '() => wakeForFreeSlots(context, profile)',
    replace: '() => undefined',
    test: 'test/lib/jobs/admission/profile-slots.test.ts',
  },
];
