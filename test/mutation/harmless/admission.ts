import type { Harmless } from './harmless.ts';

/** Mutants of claims, the lifecycle, dispatch and receipts of jobs that change nothing of importance. */
export const ADMISSION: readonly Harmless[] = [
  {
    file: 'lib/jobs/admission/claim.ts',
    find: 'received.receives === 1',
    replace: 'true',
    reason: 'a redelivered message also checks again, which costs only a few reads',
  },
  {
    file: 'lib/jobs/admission/claim.ts',
    find: "own === 'newer'",
    replace: 'false',
    reason: 'for the compiler: what this version does not read has no state that it understands',
  },
  {
    file: 'lib/jobs/admission/folder-slots.ts',
    in: 'ruleOf',
    find: 'ended.bindings_pending === undefined',
    replace: 'false',
    reason: 'without pending deployments no commands run or are to run; this only saves reads',
  },
  {
    file: 'lib/jobs/admission/folder-slots.ts',
    in: 'wakeIfFree',
    find: "job.parked !== 'folder_busy'",
    replace: 'false',
    reason: 'a job that is not parked for a folder is not unparked from one either; this only saves reads',
  },
  {
    file: 'lib/jobs/admission/parked-jobs.ts',
    in: 'unparkAll',
    find: 'isMeant === undefined',
    replace: 'false',
    reason: 'for the compiler: without a selection the job of the probe is not read, and so not known',
  },
  {
    file: 'lib/jobs/admission/ready-jobs.ts',
    in: 'sharedReads',
    find: 'readers.delete(partition);',
    replace: ';',
    reason: 'a reader can be used again; it is forgotten so that a process remembers no project for long',
  },
  {
    file: 'lib/jobs/admission/ready-jobs.ts',
    in: 'compare',
    find: 'a === b',
    replace: 'false',
    reason: 'V8 only asks whether one is before the other, so that equal ones keep their order',
  },
  {
    file: 'lib/jobs/admission/shared-folders.ts',
    in: 'mayWorkBeside',
    find: "left.delete(job.parent_id ?? '');",
    replace: ';',
    reason: 'the parent is also the first of the jobs above; this only saves reads',
  },
  {
    file: 'lib/jobs/admission/shared-folders.ts',
    in: 'firstInFolder',
    find: 'isFirst',
    replace: 'false',
    reason: 'the job would be read once more',
  },
  {
    file: 'lib/jobs/admission/shared-folders.ts',
    in: 'firstInFolder',
    find: "first === 'newer'",
    replace: 'false',
    reason: 'for the compiler: what this version does not read has no parent either',
  },
  {
    file: 'lib/jobs/admission/shared-folders.ts',
    in: 'firstInFolder',
    find: "parent === 'newer'",
    replace: 'false',
    reason: 'for the compiler: what this version does not read has no thread either',
  },
  {
    file: 'lib/jobs/admission/shared-folders.ts',
    in: 'jobsBelow',
    find: 'ids.length > 0',
    replace: 'true',
    reason: 'nothing is read for no ids',
  },
  {
    file: 'lib/jobs/lifecycle/newer-schema.ts',
    in: 'warnNewerSchema',
    find: 'warned.size >= MAX_WARNINGS',
    replace: 'false',
    reason: 'it only bounds what a process remembers and logs',
  },
];
