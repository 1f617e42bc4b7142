import type { Harmless } from './harmless.ts';

/** Mutants of the rest of a worker that change nothing of importance. */
export const WORKER: readonly Harmless[] = [
  {
    file: 'worker-container/tools/ask-human.ts',
    find: 'heard !== undefined',
    replace: 'false',
    reason: 'the read that follows shows the same answer, and a question that is no longer open cannot expire',
  },
  {
    file: 'worker-container/repository/kept-clone.ts',
    find: '27',
    replace: '270',
    reason: 'git finds an object whether it is packed or not',
  },
  {
    file: 'worker-container/drives/codex-app-server.ts',
    in: 'giveWaiting',
    find: 'threadId === undefined',
    replace: 'false',
    reason: 'a turn has an id only after its thread has one',
  },
  {
    file: 'worker-container/drives/codex-app-server.ts',
    in: 'onAnswer',
    find: 'given.delete(refused.id);',
    replace: ';',
    reason: 'the message is given again under the same id, which replaces what was noted of it',
  },
  {
    file: 'worker-container/secrets/secret-matcher.ts',
    in: 'joined',
    find: "before === ''",
    replace: 'false',
    reason: 'an empty piece at the end of a spelling matches without any byte',
  },
  {
    file: 'worker-container/deployments/deploy-commands.ts',
    in: 'runOne',
    find: 'binding === undefined',
    replace: 'false',
    reason: 'a check for the compiler: commands of a missing binding are skipped before',
  },
  {
    file: 'worker-container/tools/ask-human.ts',
    in: 'answerOf',
    find: 'question === undefined',
    replace: 'false',
    reason: 'a check for the compiler: the job that was waited for has its question',
  },
  {
    file: 'worker-container/forks/fork-source.ts',
    in: 'sourceToCopy',
    find: 'fork.forked_from === undefined',
    replace: 'false',
    reason: 'a job that is no fork lacks no copy, and keeps no thread waiting',
  },
  {
    file: 'worker-container/agent-sessions/restore-session.ts',
    in: 'restoreSession',
    find: 'isCopied',
    replace: 'true',
    reason: 'a session that was not copied was made in the same folder: moving it changes nothing',
  },
];
