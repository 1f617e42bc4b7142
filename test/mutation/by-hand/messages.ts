import type { Mutant } from '../mutant.ts';

const SETTLE = 'lib/jobs/messages/settle-messages.ts';

/** That a message reaches its agent once, and that none is lost at the end of a job. */
export const MESSAGES: readonly Mutant[] = [
  {
    name: 'a message whose turn was recorded by a process that died becomes none',
    file: SETTLE,
    find: 'await settleOne(context, job, row, { last, delivered }) : row;',
    replace: 'await settleOne(context, job, row, { last, delivered }) : undefined;',
  },
  {
    name: 'a process that was slower to settle a message leaves its turn to the other',
    file: SETTLE,
    find: 'return changed ?? (await messages.get(job.id, row.id));',
    replace: 'return changed;',
    test: 'test/lib/jobs/messages/settle-messages.test.ts',
  },
  {
    name: 'a message to a cancelled job becomes a turn',
    file: SETTLE,
    find: "job.status !== 'CANCELLED' && job.agent",
    replace: 'job.agent',
    test: 'test/api/jobs/messages.test.ts',
  },
  {
    name: 'a message that is only for its job becomes a turn',
    file: SETTLE,
    find: ' && row.only_now !== true;',
    replace: ';',
    test: 'test/api/jobs/messages.test.ts',
  },
  {
    name: 'a message becomes as many turns as processes settle it',
    file: 'lib/jobs/lifecycle/job-id.ts',
    find: 'messageId: string): string {\n  return encode(',
    replace: "messageId: string): string {\n  if (messageId !== '') return randomJobId();\n  return encode(",
    test: 'test/lib/jobs/messages/settle-messages.test.ts',
  },
  {
    name: 'messages that could not be given wait for the next one',
    file: 'worker-container/messages/message-courier.ts',
    find: 'this.#cancelRetry = timing.schedule(() => this.check(), LEASE.lookEvery);',
    replace: 'timing.now();',
    test: 'test/worker-container/messages/message-courier.test.ts',
  },
  {
    name: 'a lost attempt has got no message',
    file: SETTLE,
    find: 'receipt === undefined ? await messagesSaved(agentSessions, id, attempt) : new Set(receipt.messages)',
    replace: 'new Set(receipt?.messages)',
    test: 'test/lib/jobs/messages/settle-messages.test.ts',
  },
  {
    name: 'a message that was to become a turn is run by a shell after a retry as a script',
    file: 'lib/jobs/messages/settle-messages.ts',
    find: "  if (job.agent === 'shell') {\n",
    replace: '  if (job.id === id) {\n',
    test: 'test/lib/jobs/messages/settle-messages.test.ts',
  },
];
