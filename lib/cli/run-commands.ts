import type { CommandSpec } from './base/context.ts';
import type { OptionSpec } from './base/option.ts';
import { IDEMPOTENCY_KEY, JOB, JSON_OPTION, LOG_EVENTS, RUNNING, WAITING } from './jobs/job-options.ts';
import { PREVIEW, TEMPLATE, TEMPLATE_NAMES, VALUES } from './templates/template-options.ts';

const RUN_ROUTES = [
  'session.read',
  'jobs.create',
  'jobs.status',
  'jobs.questions',
  'jobs.answer',
  'jobs.result',
  'jobs.logs',
  'jobs.cancel',
  'templates.read',
  'templates.render',
];

/** Where a job works that a local run runs for the checkout of its user. */
const CHECKOUT: readonly OptionSpec[] = [
  {
    flags: '--worktree',
    about: 'work in a worktree of the git repository here (default there, if the service is a local run)',
    conflicts: ['project', 'cwd', 'here'],
  },
  {
    flags: '--apply',
    about: 'after a success, apply the changes of the worktree here',
    conflicts: ['detach', 'draft', 'project', 'cwd', 'here'],
  },
  { flags: '--here', about: 'work in this folder itself, in a local run', conflicts: ['cwd'] },
  { flags: '--dirty', about: 'with --here, even if it has changes that are not committed' },
  { flags: '--yes', about: 'with --here, let jobs work in this folder from now on without asking' },
];

/** The commands that create a job. */
export const RUN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    about: 'create a job, wait for its end, and print its answer',
    args: [['[prompt]', 'the prompt; a script for the profile shell'], VALUES],
    options: [...RUNNING, ...TEMPLATE, PREVIEW, ...CHECKOUT, IDEMPOTENCY_KEY, ...WAITING, JSON_OPTION],
    names: TEMPLATE_NAMES,
    routes: [...RUN_ROUTES, 'jobs.read', 'attachments.read', 'projects.edit'],
    json: 'JobResult',
    jsonLines: LOG_EVENTS,
    load: async () => await import('./commands/run.ts'),
  },
  {
    name: 'continue',
    about: "create the next turn of a job's thread, wait for its end, and print its answer",
    args: [JOB, ['[prompt]', 'what to say next; a script for the profile shell'], VALUES],
    options: [
      ...RUNNING,
      ...TEMPLATE,
      PREVIEW,
      {
        flags: '--after <end>',
        about: 'start after success (default) or after any end of the turn before',
        choices: ['success', 'any'],
      },
      { flags: '--fresh-folder', about: "work in a new folder instead of the thread's" },
      IDEMPOTENCY_KEY,
      ...WAITING,
      JSON_OPTION,
    ],
    names: TEMPLATE_NAMES,
    routes: RUN_ROUTES,
    json: 'JobResult',
    jsonLines: LOG_EVENTS,
    load: async () => await import('./commands/run.ts').then(({ continueJob }) => ({ run: continueJob })),
  },
  {
    name: 'fork',
    about: "begin a new thread from a copy of a job's folder and session, wait for its end, and print its answer",
    args: [JOB, ['[prompt]', 'what to do there; a script for the profile shell'], VALUES],
    options: [...RUNNING, ...TEMPLATE, PREVIEW, IDEMPOTENCY_KEY, ...WAITING, JSON_OPTION],
    names: TEMPLATE_NAMES,
    routes: RUN_ROUTES,
    json: 'JobResult',
    jsonLines: LOG_EVENTS,
    load: async () => await import('./commands/run.ts').then(({ forkJob }) => ({ run: forkJob })),
  },
];
