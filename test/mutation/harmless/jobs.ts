import type { Harmless } from './harmless.ts';

const FURTHER_BACK =
  'from further back, every continuation byte that belongs to no character is a unit, so the same position is found';

const NO_MEMBERS =
  'a job that only a later version can read is a text, which has none of the members that are asked for';
const OPEN_BEFORE = 'a job that only a later version can read has not ended, so the turn waits for it already';
const SELF_READ = 'the job itself is then read once more, which costs only a read';

/** Mutants of the creation, storage, threads and output of jobs that change nothing of importance. */
export const JOBS: readonly Harmless[] = [
  { file: 'lib/jobs/output/utf8-units.ts', find: '>', replace: '>=', reason: FURTHER_BACK },
  { file: 'lib/jobs/output/utf8-units.ts', find: '3', replace: '30', reason: FURTHER_BACK },
  {
    file: 'lib/jobs/output/utf8-units.ts',
    find: 'start > Math.max(0, at - 3)',
    replace: 'true',
    reason: FURTHER_BACK,
  },
  {
    file: 'lib/jobs/store/job-store.ts',
    in: 'same',
    find: 'a === b',
    replace: 'false',
    reason: 'values that are the same have the same text; only the comparison takes longer',
  },
  {
    file: 'lib/jobs/reread/reread-attempt.ts',
    in: 'readOutput',
    find: 'agent !== undefined && isKnown(AGENTS, agent)',
    replace: 'true',
    reason: 'for the compiler: what is no agent has no reader in the table either',
  },
  {
    file: 'lib/jobs/creation/continuation.ts',
    in: 'requireFolder',
    find: 'owner === job.id',
    replace: 'false',
    reason: SELF_READ,
  },
  {
    file: 'lib/jobs/creation/continuation.ts',
    in: 'requireFolder',
    find: "first === 'newer'",
    replace: 'false',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/creation/create-job.ts',
    in: 'createJob',
    find: 'derived !== undefined',
    replace: 'true',
    reason: 'a job is known only by its derived id; the check is for the compiler',
  },
  {
    file: 'lib/jobs/creation/create-job.ts',
    in: 'createJob',
    find: '(threadId !== undefined || source !== undefined)',
    replace: 'true',
    reason: 'a job that continues and forks none has no turn to take and no thread to hold',
  },
  {
    file: 'lib/jobs/creation/create-job.ts',
    in: 'requireKept',
    find: "known === 'newer'",
    replace: 'false',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/creation/create-job.ts',
    in: 'checkOrigin',
    find: "job !== 'newer'",
    replace: 'true',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/creation/follow-ups.ts',
    in: 'inherited',
    find: "'path' in folder",
    replace: 'true',
    reason: 'a rejected folder has no path, and a cwd of undefined counts as none',
  },
  {
    file: 'lib/jobs/threads/commands-turn.ts',
    in: 'commandsTurn',
    find: "typeof next.job === 'object'",
    replace: 'true',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/threads/read-thread.ts',
    in: 'waitInThread',
    find: "job !== 'newer'",
    replace: 'true',
    reason: OPEN_BEFORE,
  },
  {
    file: 'lib/jobs/threads/read-thread.ts',
    in: 'waitInThread',
    find: "before.job === 'newer'",
    replace: 'false',
    reason: OPEN_BEFORE,
  },
  {
    file: 'lib/jobs/threads/read-thread.ts',
    in: 'hasEnded',
    find: "job !== 'newer'",
    replace: 'true',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/threads/read-thread.ts',
    in: 'isThreadOver',
    find: "job !== 'newer'",
    replace: 'true',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/threads/settle-thread.ts',
    in: 'turnsToSettle',
    find: "job === 'newer'",
    replace: 'false',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/threads/settle-thread.ts',
    in: 'sourceThread',
    find: "source === 'newer'",
    replace: 'false',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/threads/take-turn.ts',
    in: 'takeTurn',
    find: 'taken.done',
    replace: 'false',
    reason: 'the next round of the loop returns the job, which then has its turn',
  },
  {
    file: 'lib/jobs/questions/expire-questions.ts',
    in: 'expireQuestions',
    find: "job === 'newer'",
    replace: 'false',
    reason: NO_MEMBERS,
  },
  {
    file: 'lib/jobs/reread/reread-attempt.ts',
    in: 'readOutput',
    find: 'isKnown(AGENTS, agent)',
    replace: 'true',
    reason: 'there is no reader of an agent that only a later version knows',
  },
  {
    file: 'lib/jobs/store/job-search.ts',
    in: '#matchesIn',
    find: 'row.found.length > 0',
    replace: 'false',
    reason: 'a row with none of the words adds none to those of its job',
  },
  {
    file: 'lib/jobs/store/listed-items.ts',
    find: 'first === undefined',
    replace: 'false',
    reason: 'a partition without an entry is never asked for one; the check is for the compiler',
  },
  {
    file: 'lib/jobs/creation/create-job.ts',
    in: 'requireKept',
    find: 'known === undefined',
    replace: 'false',
    reason: 'a creation is refused only by a job that is there; the check is for the compiler',
  },
  {
    file: 'lib/jobs/creation/read-follow-ups.ts',
    in: 'blocksOfLost',
    find: 'agent === undefined',
    replace: 'false',
    reason: 'an agent of undefined is none that this version knows; the check is for the compiler',
  },
  {
    file: 'lib/jobs/store/job-index.ts',
    in: 'search',
    find: 'oldest === undefined',
    replace: 'false',
    reason: 'without a job there is no month that a search could begin with; the check is for the compiler',
  },
  {
    file: 'lib/jobs/store/job-store.ts',
    in: 'expiredLeases',
    find: "typeof until === 'string'",
    replace: 'true',
    reason: 'what is no text is never later than a time; the check is for the compiler',
  },
  {
    file: 'lib/jobs/store/job-texts.ts',
    in: '#readObject',
    find: 'Body === undefined',
    replace: 'false',
    reason: 'an object that is read has content; the check is for the compiler',
  },
  {
    file: 'lib/jobs/store/listed-items.ts',
    find: 'this.#items.length === 0',
    replace: 'true',
    reason: 'it is only asked of a partition without an entry',
  },
];
