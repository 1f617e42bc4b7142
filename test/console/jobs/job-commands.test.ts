import { describe, expect, test } from 'vitest';
import { jobCommands } from '../../../console/src/jobs/terminal/job-commands.ts';
import { COMMANDS } from '../../../lib/cli/command-table.ts';
import { createProgram } from '../../../lib/cli/program.ts';
import { JOB_ACTIONS } from '../../../lib/contract/job-actions.ts';

type Job = Parameters<typeof jobCommands>[0];

const jobWith = (fields: Partial<Job>): Job =>
  ({
    ...{ id: 'job_1', thread_id: 'job_0', agent: 'codex', attempt: 0, turn: 1, changes: null, question: null },
    ...{ cwd: null, state_reason: { code: 'exited' } },
    deployments: [],
    ...fields,
  }) as unknown as Job;
const namesOf = (job: Job) => [...jobCommands(job)].map(({ args }) => args[0]);
const QUESTION = { id: 'q_1', state: 'open' } as NonNullable<Job['question']>;
const DEPLOYMENTS = [{ name: 'ci', binding: 'b_1' }] as Job['deployments'];
const CHANGES = {} as NonNullable<Job['changes']>;

const JOBS = {
  draft: jobWith({ status: 'DRAFT', turn: null }),
  queued: jobWith({ status: 'QUEUED' }),
  stopped: jobWith({ status: 'QUEUED', state_reason: { code: 'thread_stopped' } as Job['state_reason'] }),
  asking: jobWith({ status: 'QUEUED', attempt: 1, question: QUESTION }),
  running: jobWith({ status: 'RUNNING', attempt: 1 }),
  script: jobWith({ status: 'RUNNING', attempt: 1, agent: 'shell' }),
  ended: jobWith({
    status: 'SUCCEEDED',
    attempt: 1,
    changes: CHANGES,
    question: { ...QUESTION, state: 'answered' },
    deployments: DEPLOYMENTS,
  }),
};

describe("the commands of a job's page", () => {
  test('are the ones that its status allows', () => {
    expect(namesOf(JOBS.draft)).toEqual(['show', 'submit', 'edit', 'cancel']);
    expect(namesOf(JOBS.queued)).toEqual(['show', 'logs', 'wait', 'say', 'edit', 'cancel', 'list']);
    expect(namesOf(JOBS.asking)).toContain('answer');
    expect(namesOf(JOBS.running)).toEqual([
      'show',
      'logs',
      'wait',
      'result',
      'say',
      'cancel',
      'kill',
      'files',
      'attachments',
      'list',
      'record',
    ]);
    expect(namesOf(JOBS.script)).not.toContain('say');
    expect(namesOf(JOBS.stopped)).toContain('submit');
    expect(namesOf(JOBS.queued)).not.toContain('submit');
    for (const fields of [{ attempt: 0 }, { cwd: 'app' }])
      expect(namesOf(jobWith({ status: 'CANCELLED', attempt: 1, ...fields }))).not.toContain('fork');
    expect(namesOf(JOBS.ended)).toEqual([
      'show',
      'logs',
      'result',
      'retry',
      'continue',
      'fork',
      'files',
      'attachments',
      'pull',
      'list',
      'api',
      'api',
      'record',
      'delete-output',
      'remove',
    ]);
  });

  test('are accepted by promptq unchanged, and include every action of a job', async () => {
    const run: string[] = [];
    for (const job of Object.values(JOBS))
      for (const { args } of jobCommands(job)) {
        const program = createProgram({ version: '0', commands: COMMANDS }, async ({ name }, given, options) => {
          expect([...given, ...Object.values(options)].join(' ')).toMatch(/\bjob_[01]\b/);
          run.push(name);
        });
        await program.parseAsync([...args], { from: 'user' });
      }
    expect(Object.keys(JOB_ACTIONS).filter((name) => !run.includes(name))).toEqual([]);
  });
});
