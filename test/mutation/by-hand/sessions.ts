import type { Mutant } from '../mutant.ts';

const SAVER = 'worker-container/agent-sessions/session-saver.ts';
const READER = 'worker-container/agent-sessions/read-session-file.ts';
const READER_TEST = 'test/worker-container/agent-sessions/read-session-file.test.ts';
const RESUME_TEST = 'test/lib/jobs/lifecycle/resume.test.ts';

/** How the session of an interrupted attempt is saved and continued. */
export const SESSIONS: readonly Mutant[] = [
  {
    name: 'a failed attempt is continued',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: "queuedAgain(withoutResume(job), {\n    reason: 'retry_backoff'",
    replace: "queuedAgain(job, {\n    reason: 'retry_backoff'",
  },
  {
    name: 'a lost attempt is not continued',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: "queuedAgain(resuming, { reason: 'worker_lost'",
    replace: "queuedAgain(job, { reason: 'worker_lost'",
  },
  {
    name: 'a refused session is continued again',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: "queuedAgain(withoutResume(job), { reason: 'waiting_for_worker', session_refused",
    replace: "queuedAgain(withResume(job, at, receipt), { reason: 'waiting_for_worker', session_refused",
    test: RESUME_TEST,
  },
  {
    name: 'an edit of the prompt keeps the session',
    file: 'lib/jobs/lifecycle/resume.ts',
    find: "['texts', 'profile', 'cwd']",
    replace: "['profile', 'cwd']",
  },
  {
    name: 'only the session of the last attempt is looked for',
    file: 'worker-container/agent-sessions/restore-session.ts',
    find: 'Math.max(oldest, 1));',
    replace: 'Math.max(newest, 1));',
  },
  {
    name: 'a retry of a session starts from the prompt',
    file: 'lib/jobs/lifecycle/queued-again.ts',
    find: "from === 'session' ? withLastSession(rest, job) : rest",
    replace: 'rest',
    test: RESUME_TEST,
  },
  {
    name: 'an interrupted attempt does not count for the timeout',
    file: 'lib/jobs/lifecycle/resume.ts',
    find: 'ran_before: before + ran',
    replace: 'ran_before: before',
    test: RESUME_TEST,
  },
  {
    name: 'what an interrupted attempt asked for is lost',
    file: 'lib/jobs/lifecycle/follow-up-record.ts',
    find: 'follow_ups === undefined ? chain : [...chain, attempt]',
    replace: 'follow_ups === undefined ? [] : [attempt]',
    test: 'test/lib/jobs/creation/follow-ups.test.ts',
  },
  {
    name: 'a block that the successor of a lost attempt repeats counts twice',
    file: 'lib/jobs/creation/read-follow-ups.ts',
    find: ' && !repeated.has(block.body)) yield block;',
    replace: ') yield block;',
    test: 'test/lib/jobs/creation/follow-ups.test.ts',
  },
  {
    name: 'a session that lacks the prompt is continued',
    file: 'worker-container/attempt/start-agent.ts',
    find: 'sessionId: () => promptedSession(reader.facts()) });',
    replace: 'sessionId: () => reader.facts().sessionId });',
    test: 'test/api/jobs/unprompted-sessions.test.ts',
  },
  {
    name: 'what follows a lost part is read',
    file: 'lib/jobs/output/agent-sessions/agent-session-store.ts',
    find: 'return gap < 0 ? parts : parts.slice(0, gap);',
    replace: 'return parts;',
    test: 'test/lib/jobs/output/agent-session-store.test.ts',
  },
  {
    name: 'a part differs between two tries',
    file: SAVER,
    find: 'this.#pending ??= await this.#nextPart();',
    replace: 'this.#pending = await this.#nextPart();',
  },
  {
    name: 'a session is saved with its secrets',
    file: SAVER,
    find: 'masked: Buffer.concat([redactor.push(part.bytes), redactor.flush()]),',
    replace: 'masked: part.bytes,',
    test: 'test/worker-container/agent-sessions/session-saver.test.ts',
  },
  {
    name: 'the last save of a session is not repeated',
    file: SAVER,
    find: 'const fault = await retrying(() => this.#saveParts(), retry).then(',
    replace: 'const fault = await this.#saveParts().then(',
    test: 'test/worker-container/agent-sessions/session-saver.test.ts',
  },
  {
    name: 'the answer of a reader that was killed is a part of a session',
    file: READER,
    find: "if (exitCode !== 0) throw new Error('the reader of the session was ended');",
    replace: '',
    test: READER_TEST,
  },
  {
    name: 'git ends the reader of a session',
    file: 'worker-container/attempt/finish-agent.ts',
    find: 'saved.then(() => changesOf(git, worktree, files, job));',
    replace: 'changesOf(git, worktree, files, job);',
    test: 'test/worker-container/attempt/finish-agent.test.ts',
  },
  {
    name: "another user's session is read",
    file: READER,
    find: "refuse('its file belongs to another user') unless $owner == $>;\n",
    replace: '',
    test: READER_TEST,
  },
  {
    name: 'a link to a session is followed',
    file: READER,
    find: 'O_RDONLY | O_NOFOLLOW | O_NONBLOCK or',
    replace: 'O_RDONLY | O_NONBLOCK or',
    test: READER_TEST,
  },
  {
    name: 'a second name of a file is read as a session',
    file: READER,
    find: "refuse('its file has several names') unless $names == 1;\n",
    replace: '',
    test: READER_TEST,
  },
  {
    name: 'a session with holes is read',
    file: READER,
    find: "refuse('its file has holes') if $size >= 1048576 and $blocks * 512 < $size / 2;\n",
    replace: '',
    test: READER_TEST,
  },
  {
    name: 'an older CLI continues the session of a newer one',
    file: 'worker-container/agent-sessions/restore-session.ts',
    find: 'if (isOlder(origin.cli_version, record.cli_version)) {',
    replace: 'if (origin.cli_version === "") {',
    test: 'test/worker-container/agent-sessions/restore-session.test.ts',
  },
  {
    name: 'a job waits for a newer CLI permanently',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: 'older_cli_since: job.older_cli_since ?? at,',
    replace: 'older_cli_since: at,',
    test: 'test/lib/jobs/lifecycle/resume.test.ts',
  },
  {
    name: "a failure with another account's session is the job's",
    file: 'worker-container/attempt/attempt-session.ts',
    find: '&& !(resumed.isOtherAccount && !wasAnswered)) return',
    replace: ') return',
    test: 'test/worker-container/agent-sessions/session-origin.test.ts',
  },
  {
    name: 'an attempt gets the folder that a lost one still uses',
    file: 'worker-container/attempt/attempt-folder.ts',
    find: 'inUse.has(wanted) ?',
    replace: 'inUse.has("") ?',
    test: 'test/worker-container/attempt/attempt-folder.test.ts',
  },
];
