import type { Mutant } from '../mutant.ts';

const FORKS_TEST = 'test/api/threads/forks.test.ts';
const COPY_TEST = 'test/worker-container/forks/copy-folder.test.ts';
const WORKTREES_TEST = 'test/api/runs/forked-worktrees.test.ts';

/** How a fork gets a copy of what was there when it was requested, and changes nothing of the thread that it forks. */
export const FORKS: readonly Mutant[] = [
  {
    name: 'a turn does not wait for the copy of a fork',
    file: 'lib/jobs/threads/read-thread.ts',
    find: 'return fork === undefined ? undefined : { job: fork, stopped: false };',
    replace: 'return undefined;',
    test: FORKS_TEST,
  },
  {
    name: 'a turn waits for a fork that has ended',
    file: 'lib/jobs/threads/read-thread.ts',
    find: '!isTerminal(fork.status) && lacksCopy(fork)',
    replace: 'lacksCopy(fork)',
    test: FORKS_TEST,
  },
  {
    name: 'a turn waits until a fork has ended',
    file: 'lib/jobs/threads/read-thread.ts',
    find: '!isTerminal(fork.status) && lacksCopy(fork)',
    replace: '!isTerminal(fork.status)',
    test: 'test/lib/jobs/threads/forks.test.ts',
  },
  {
    name: 'a turn that is about to start is not told of a fork',
    file: 'lib/jobs/threads/settle-thread.ts',
    find: '  await context.threads.putFork(threadId, fork.id);\n  // A turn that is about to start has read the thread before: it gets a new version.\n  await settleThread(context, threadId);',
    replace: '  await context.threads.putFork(threadId, fork.id);',
    test: 'test/lib/jobs/threads/forks.test.ts',
  },
  {
    name: 'nothing starts the turns that waited for a fork',
    file: 'lib/jobs/threads/settle-thread.ts',
    find: '  await settleThread(context, threadId);\n  await context.threads.removeFork(threadId, fork.id);',
    replace: '  await context.threads.removeFork(threadId, fork.id);',
    test: FORKS_TEST,
  },
  {
    name: 'a fork copies what a later turn has left',
    file: 'worker-container/forks/fork-source.ts',
    find: 'if (later !== undefined)',
    replace: 'if (false)',
    test: FORKS_TEST,
  },
  {
    name: 'an attempt that was replaced says that it has made the copy',
    file: 'lib/jobs/lifecycle/thread.ts',
    find: "if (job.status !== 'RUNNING' || job.attempt !== event.attempt)",
    replace: "if (job.status !== 'RUNNING')",
    test: 'test/lib/jobs/threads/forks.test.ts',
  },
  {
    name: 'retention removes what a fork still has to copy',
    file: 'lib/jobs/threads/read-thread.ts',
    find: 'return turns.every(isOver) && (await pendingFork(context, turns)) === undefined;',
    replace: 'return turns.every(isOver);',
    test: 'test/lib/jobs/threads/forks.test.ts',
  },
  {
    name: 'a copy takes the place of one that is used',
    file: 'worker-container/forks/copy-folder.ts',
    find: 'if (!isThere && ',
    replace: 'if (isThere) await removeTree(to);\n  if (',
    test: COPY_TEST,
  },
  {
    name: 'a copy has no limit',
    file: 'worker-container/forks/copy-folder.ts',
    find: ' if $bytes > $most;',
    replace: ' if $bytes < 0;',
    test: COPY_TEST,
  },
  {
    name: 'a link into the folder leads back to the forked job',
    file: 'worker-container/forks/copy-folder.ts',
    find: '$target =~ s/',
    replace: '(my $kept = $target) =~ s/',
    test: COPY_TEST,
  },
  {
    name: 'the session of a fork names the folder of the forked job',
    file: 'worker-container/agent-sessions/restore-session.ts',
    find: 'isCopied ? movedSession(found.session.read(), move) : found.session.read()',
    replace: 'found.session.read()',
    test: FORKS_TEST,
  },
  {
    name: 'a fork continues the session of a later attempt',
    file: 'lib/jobs/threads/conversation.ts',
    find: 'attempt: first.forked_attempt ?? source.attempt',
    replace: 'attempt: source.attempt',
    test: 'test/lib/jobs/threads/forks.test.ts',
  },
  {
    name: 'a fork begins with an earlier snapshot of a worktree',
    file: 'worker-container/repository/snapshots.ts',
    find: 'if (record?.snapshot?.turn !== nameOf(turn)) return undefined;',
    replace: 'if (record?.snapshot === undefined) return undefined;',
    test: WORKTREES_TEST,
  },
  {
    name: 'a snapshot changes times in the repository of the job',
    file: 'worker-container/repository/worktree-tree.ts',
    find: '{ ...call, onStderr: unreadable }',
    replace:
      "{ ...call, onStderr: unreadable, env: { ...call.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(walk.worktree.path, '.git', 'objects') } }",
    test: WORKTREES_TEST,
  },
];
