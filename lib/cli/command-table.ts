import { TOOLS } from '../mcp/tool-table.ts';
import type { CommandSpec } from './base/context.ts';
import type { OptionSpec } from './base/option.ts';
import { IDEMPOTENCY_KEY, JOB_OPTIONS } from './jobs/job-options.ts';

const JSON_OPTION: OptionSpec = { flags: '--json', about: 'print one line of JSON instead of text' };
const ATTEMPT: OptionSpec = { flags: '--attempt <n>', about: 'an earlier attempt', isNumber: true };
const JOB = ['<id>', 'id of the job'] as const;

/** Options of commands that wait for a job. */
const WAITING: readonly OptionSpec[] = [
  { flags: '--timeout <seconds>', about: 'stop waiting after that time, with exit code 7', isNumber: true },
  {
    flags: '--wait-for-people',
    about: 'keep waiting for a job that waits for an answer, or for the vendor account to be linked',
  },
  {
    flags: '--on-interrupt <action>',
    about: 'what Ctrl-C does: detach (default) leaves the job alone, cancel cancels it',
    choices: ['detach', 'cancel'],
  },
];

/** Options of commands that create a job and wait for it. */
const RUNNING: readonly OptionSpec[] = [
  { flags: '--wait', about: 'print the final message, or else the output, when the job has ended (default)' },
  { flags: '--follow', about: 'print the output while it is written', conflicts: ['detach', 'wait', 'json'] },
  { flags: '--detach', about: 'print the id of the job and exit', conflicts: ['wait'] },
  ...JOB_OPTIONS,
  { flags: '--draft', about: 'store a draft, which no worker starts, and exit', conflicts: ['wait', 'follow'] },
];
const RUN_ROUTES = ['session.read', 'jobs.create', 'jobs.status', 'jobs.result', 'jobs.logs', 'jobs.cancel'];

/** An action on a job. */
const action = (name: string, about: string): CommandSpec => ({
  name,
  about,
  args: [JOB],
  options: [JSON_OPTION],
  routes: name === 'retry' ? ['jobs.retry', 'jobs.read'] : [`jobs.${name}`],
  json: 'Job',
  load: async () => await import('./commands/act.ts').then(({ acting }) => ({ run: acting(name) })),
});

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'login',
    about: 'save the address of a service and a token, which is read from stdin or asked for',
    args: [['[url]', 'address of the service; default: PROMPTQ_URL, or http://127.0.0.1:8787']],
    options: [JSON_OPTION],
    routes: ['session.read'],
    json: 'Caller',
    load: async () => await import('./commands/login.ts'),
  },
  {
    name: 'run',
    about: 'create a job, wait for its end, and print its answer',
    args: [['[prompt]', 'the prompt; a script for the profile shell']],
    options: [...RUNNING, IDEMPOTENCY_KEY, ...WAITING, JSON_OPTION],
    routes: RUN_ROUTES,
    json: 'JobResult',
    load: async () => await import('./commands/run.ts'),
  },
  {
    name: 'continue',
    about: "create the next turn of a job's thread, wait for its end, and print its answer",
    args: [JOB, ['[prompt]', 'what to say next; a script for the profile shell']],
    options: [
      ...RUNNING,
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
    routes: RUN_ROUTES,
    json: 'JobResult',
    load: async () => await import('./commands/run.ts').then(({ continueJob }) => ({ run: continueJob })),
  },
  {
    name: 'wait',
    about: 'wait for the end of a job; the exit code is its outcome',
    args: [JOB],
    options: [...WAITING, JSON_OPTION],
    routes: ['jobs.status', 'jobs.cancel'],
    json: 'JobLifecycle',
    load: async () => await import('./commands/wait.ts'),
  },
  {
    name: 'logs',
    about: 'print the output of a job',
    args: [JOB],
    options: [
      { flags: '-f, --follow', about: 'print it while it is written, until the job has ended; with --json, as events' },
      { flags: '--stream <name>', about: 'only one stream', choices: ['stdout', 'stderr', 'all'] },
      ATTEMPT,
      JSON_OPTION,
    ],
    routes: ['jobs.logs'],
    json: 'JobLogs',
    load: async () => await import('./commands/logs.ts'),
  },
  {
    name: 'result',
    about: 'print the final message of a job, or else its output',
    args: [JOB],
    options: [ATTEMPT, JSON_OPTION],
    routes: ['jobs.result', 'jobs.logs'],
    json: 'JobResult',
    load: async () => await import('./commands/result.ts'),
  },
  {
    name: 'list',
    about: 'list jobs, newest first',
    options: [
      { flags: '--status <status>', about: 'only jobs with this status' },
      { flags: '--needs <need>', about: 'only jobs that wait for an answer', choices: ['answer'] },
      { flags: '--project <name>', about: 'only jobs of this project' },
      { flags: '--profile <name>', about: 'only jobs with this profile' },
      { flags: '--tag <tag>', about: 'only jobs with this tag' },
      { flags: '--thread <id>', about: 'only jobs of this thread' },
      { flags: '--search <words>', about: 'only jobs that contain these words' },
      { flags: '--limit <n>', about: 'number of jobs; default: 20', isNumber: true },
      { flags: '--cursor <cursor>', about: 'the next page, as the previous one names it' },
      JSON_OPTION,
    ],
    routes: ['jobs.list'],
    json: 'JobList',
    load: async () => await import('./commands/list.ts'),
  },
  {
    name: 'show',
    about: 'show a job',
    args: [JOB],
    options: [JSON_OPTION],
    routes: ['jobs.read'],
    json: 'Job',
    load: async () => await import('./commands/show.ts'),
  },
  {
    name: 'say',
    about: 'send a message to the agent of a job, or list the messages',
    args: [JOB, ['[text]', 'the message; without it, the messages are listed']],
    options: [IDEMPOTENCY_KEY, JSON_OPTION],
    routes: ['messages.create', 'messages.list'],
    json: 'MessageList',
    load: async () => await import('./commands/say.ts'),
  },
  {
    name: 'questions',
    about: 'show the questions of a job, or the open ones of all jobs',
    args: [['[id]', 'id of the job']],
    options: [JSON_OPTION],
    routes: ['jobs.list', 'jobs.questions'],
    json: 'QuestionList',
    load: async () => await import('./commands/questions.ts'),
  },
  {
    name: 'answer',
    about: 'answer the open question of a job',
    args: [JOB, ['<answer>', 'the answer']],
    options: [{ flags: '--question <id>', about: 'id of the question; default: the open one' }, JSON_OPTION],
    routes: ['jobs.read', 'jobs.answer'],
    json: 'Job',
    load: async () => await import('./commands/answer.ts'),
  },
  action('cancel', 'cancel a job'),
  action('kill', 'kill the processes of a running job'),
  action('retry', 'start another attempt of a job that has ended'),
  action('submit', 'queue a draft'),
  {
    name: 'edit',
    about: 'change a job that is queued or a draft',
    args: [JOB, ['[prompt]', 'another prompt']],
    options: [...JOB_OPTIONS, JSON_OPTION],
    routes: ['jobs.status', 'jobs.edit', 'jobs.edit-draft'],
    json: 'Job',
    load: async () => await import('./commands/edit.ts'),
  },
  {
    name: 'attachments',
    about: 'list the files that a job produced, or download them',
    args: [JOB, ['[paths...]', 'files to download; default: all']],
    options: [
      { flags: '-o, --output <folder>', about: 'download into this folder; existing files are kept' },
      ATTEMPT,
      JSON_OPTION,
    ],
    routes: ['attachments.list', 'attachments.read'],
    json: 'AttachmentList',
    load: async () => await import('./commands/attachments.ts'),
  },
  {
    name: 'pull',
    about: 'apply the changes that a job made in its repository to the git repository here',
    args: [JOB],
    options: [
      { flags: '--check', about: 'only check whether they apply' },
      { flags: '--3way', about: 'merge what does not apply, as `git apply --3way` does' },
      JSON_OPTION,
    ],
    routes: ['jobs.read', 'attachments.read'],
    json: 'RepositoryChanges',
    load: async () => await import('./commands/pull.ts'),
  },
  {
    name: 'profiles',
    about: 'list profiles',
    options: [JSON_OPTION],
    routes: ['profiles.list'],
    json: 'ProfileList',
    load: async () => await import('./commands/profiles.ts'),
  },
  {
    name: 'projects',
    about: 'list projects and their jobs',
    options: [JSON_OPTION],
    routes: ['projects.list'],
    json: 'ProjectList',
    load: async () => await import('./commands/projects.ts'),
  },
  {
    name: 'doctor',
    about: 'check the service, and report what is wrong and what to do',
    options: [{ flags: '--job [profile]', about: 'also run a small job; default profile: codex' }, JSON_OPTION],
    routes: ['health.read', 'session.read', 'environment.read', 'codex-account.read', 'jobs.list'],
    load: async () => await import('./commands/doctor.ts'),
  },
  {
    name: 'mcp',
    about: 'serve tools that run jobs to an agent, by the Model Context Protocol on stdin and stdout',
    routes: [...new Set(TOOLS.flatMap(({ routes }) => routes))],
    load: async () => await import('./mcp/serve.ts'),
  },
  {
    name: 'dev',
    about: 'run the service on this machine until Ctrl-C; other commands find it',
    options: [
      { flags: '--port <n>', about: 'port of the service; default: PORT, or 8787; 0: any free one', isNumber: true },
      { flags: '--home <folder>', about: 'folder of its data; default: PROMPTQ_HOME, or .promptq' },
      { flags: '--config <file>', about: 'configuration file; default: PROMPTQ_CONFIG, or promptq.config.yaml' },
    ],
    routes: [],
    load: async () => await import('./dev/dev.ts'),
  },
  {
    name: 'completion',
    about: 'print a script that completes commands and options',
    args: [['<shell>', 'your shell', ['bash', 'zsh', 'fish']]],
    routes: [],
    load: async () => await import('./commands/completion.ts'),
  },
];
