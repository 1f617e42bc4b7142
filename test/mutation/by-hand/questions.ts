import type { Mutant } from '../mutant.ts';

const QUESTION = 'lib/jobs/lifecycle/question.ts';
const END = 'lib/jobs/lifecycle/after-attempt.ts';
const ANSWER = 'lib/jobs/questions/answer-text.ts';
const KEYS = 'lib/jobs/indexes/list-keys.ts';
const ASKING_TEST = 'test/lib/jobs/views/asking-jobs.test.ts';
const TEST = 'test/lib/jobs/lifecycle/question.test.ts';

/** That a question is answered or expires once, and that no job stays parked for an answered one. */
export const QUESTIONS: readonly Mutant[] = [
  {
    name: 'an answer is given to an agent with its secrets',
    file: ANSWER,
    find: 'text: mask(found.answer.text) }',
    replace: 'text: found.answer.text }',
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'an agent gets only the answer to its last question',
    file: ANSWER,
    find: '...(questions > 1 ?',
    replace: '...(questions > LIMITS.questions.perJob ?',
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'an agent gets answers of an earlier round',
    file: ANSWER,
    find: 'before.slice(0, ofEarlierRounds)',
    replace: 'before',
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'a retry from the session loses an answer',
    file: 'lib/jobs/lifecycle/queued-again.ts',
    find: "from === 'session' ? withKnownAnswer(",
    replace: "from === 'session' ? withStaleQuestion(",
    test: TEST,
  },
  {
    name: 'a delivered answer stays stored with its secrets',
    file: ANSWER,
    find: 'if (answer.text !== found.answer.text) await',
    replace: 'if (answer.text === found.answer.text) await',
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'masking brings back the answer of a removed job',
    file: 'lib/jobs/store/question-store.ts',
    find: ", ConditionExpression: 'attribute_exists(id)' }",
    replace: ' }',
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'an open question is not listed while its attempt runs',
    file: KEYS,
    find: "return question?.state === 'open' ? ASKING_STATES.RUNNING : status;",
    replace: 'return status;',
    test: ASKING_TEST,
  },
  {
    name: 'a lost job with an open question is not found',
    file: KEYS,
    find: "if (status === 'RUNNING') return spread(RUNNING_STATES);",
    replace: "if (status === 'RUNNING') return spread([status]);",
    test: ASKING_TEST,
  },
  {
    name: 'a question that was answered meanwhile is listed as open',
    file: 'lib/jobs/store/job-index.ts',
    find: "range.needs === undefined || details.question?.state === 'open'",
    replace: 'true',
    test: ASKING_TEST,
  },
  {
    name: 'running jobs with an open question do not count as running',
    file: 'lib/workers/scaling/read-demand.ts',
    find: 'RUNNING_STATES.reduce(',
    replace: 'RUNNING_STATES.slice(0, 1).reduce(',
    test: 'test/lib/jobs/admission/awaited-events.test.ts',
  },
  {
    name: 'a job is parked for its question although it was answered while its attempt ended',
    file: END,
    find: '  if (!isAsking(job)) return job;\n  if (job.reason',
    replace: '  if (job.question === undefined) return job;\n  if (job.reason',
    test: TEST,
  },
  {
    name: 'a job that waits for an answer stays the probe',
    file: END,
    find: "queuedAgain(withoutProbe(job), { reason: 'question'",
    replace: "queuedAgain(job, { reason: 'question'",
    test: TEST,
  },
  {
    name: 'an answer that the tool could not read is lost',
    file: 'worker-container/tools/ask-human.ts',
    find: 'await found().catch(attempt.onFailure)',
    replace: 'await found()',
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'a question whose first call failed prevents the same call',
    file: 'worker-container/tools/ask-human.ts',
    find: '(await knownId(asked.question)) ?? newQuestionId()',
    replace: 'newQuestionId()',
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'a question for which no agent waits is withdrawn by an attempt that is over',
    file: 'lib/jobs/lifecycle/question.ts',
    find: "  if (job.status !== 'RUNNING' || job.attempt !== attempt) return { rejected: 'the attempt is over' };\n  if (job.question?.id !== id ||",
    replace: '  if (job.question?.id !== id ||',
    test: 'test/lib/jobs/lifecycle/question.test.ts',
  },
  {
    name: 'the record of a thread has the default as the answer to a withdrawn question',
    file: 'worker-container/prompt/thread-record.ts',
    find: "state === 'expired' ? fallback : answer",
    replace: 'answer ?? fallback',
    test: 'test/worker-container/prompt/thread-record.test.ts',
  },
  {
    name: 'the answer to the question before is taken for one to this',
    file: 'worker-container/tools/ask-human.ts',
    find: "question?.id === id && question.state !== 'open'",
    replace: "question?.state !== 'open'",
    test: 'test/worker-container/tools/ask-human.test.ts',
  },
  {
    name: 'a lost attempt with an open question is not parked',
    file: END,
    find: 'return withQuestion(lost(job, at, event), at);',
    replace: 'return lost(job, at, event);',
    test: TEST,
  },
  {
    name: 'a question is answered twice',
    file: QUESTION,
    find: '  if (!isAsking(job)) return { rejected: `question',
    replace: '  if (job.question.answer === answer) return { rejected: `question',
    test: TEST,
  },
  {
    name: 'a question is answered after its deadline',
    file: QUESTION,
    find: 'if (at > job.question.due) return',
    replace: 'if (at < job.question.id) return',
    test: TEST,
  },
  {
    name: 'an answered question expires',
    file: QUESTION,
    find: '  if (!isAsking(job) || job.question.id !== id)',
    replace: '  if (job.question?.id !== id)',
    test: TEST,
  },
  {
    name: 'a question expires before its deadline',
    file: QUESTION,
    find: 'if (at <= job.question.due) return',
    replace: 'if (at < job.question.id) return',
    test: TEST,
  },
  {
    name: 'an answer leaves its job parked',
    file: QUESTION,
    find: "  if (job.parked !== 'question') return",
    replace: '  if (job.parked !== undefined) return',
    test: TEST,
  },
  {
    name: 'an edit of the prompt keeps the question',
    file: 'lib/jobs/lifecycle/resume.ts',
    find: '{ ...withStaleQuestion(withoutResume(job)), ...(job.attempt',
    replace: '{ ...withoutResume(job), ...(job.attempt',
    test: TEST,
  },
  {
    name: 'a cancelled job keeps its question open',
    file: 'lib/jobs/lifecycle/queued-again.ts',
    find: "withdrawn(status === 'SUCCEEDED' ?",
    replace: "(status === 'SUCCEEDED' ?",
    test: TEST,
  },
  {
    name: 'an unanswered question of an earlier round fails a job',
    file: 'lib/jobs/lifecycle/queued-again.ts',
    find: 'withStaleQuestion(withoutResume(job))',
    replace: 'withoutResume(job)',
    test: TEST,
  },
];
