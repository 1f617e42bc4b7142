import { RETRY_FROM } from '../contract/job-actions.ts';
import { METHODS } from '../contract/route.ts';
import { TOOLS, type ToolSpec } from '../mcp/tool-table.ts';
import { AUTOMATION_COMMANDS } from './automation-commands.ts';
import type { CommandSpec } from './base/context.ts';
import type { OptionSpec } from './base/option.ts';
import { IDEMPOTENCY_KEY, JOB, JOB_OPTIONS, JSON_OPTION, LOG_EVENTS, RAW, WAITING } from './jobs/job-options.ts';
import { LIST_OPTIONS } from './jobs/list-options.ts';
import { PROJECT_COMMANDS } from './project-commands.ts';
import { RECORD_COMMANDS } from './record-commands.ts';
import { RUN_COMMANDS } from './run-commands.ts';
import { SUBSCRIPTION_COMMANDS } from './subscription-commands.ts';

const ATTEMPT: OptionSpec = { flags: '--attempt <n>', about: 'an earlier attempt', isNumber: true };

const TREE: OptionSpec = { flags: '--tree', about: 'and all jobs that it and its descendants brought about' };

/** An action on a job. */
const action = (name: string, about: string, options: readonly OptionSpec[] = []): CommandSpec => ({
  name,
  about,
  args: [JOB],
  options: [...options, JSON_OPTION],
  routes: name === 'retry' ? ['jobs.retry', 'jobs.read'] : [`jobs.${name}`],
  json: name === 'cancel' || name === 'kill' ? 'CancelledJob' : 'Job',
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
  ...RUN_COMMANDS,
  {
    name: 'wait',
    about: 'wait for the end of a job; the exit code is its outcome',
    args: [JOB],
    options: [...WAITING, JSON_OPTION],
    routes: ['jobs.status', 'jobs.questions', 'jobs.answer', 'jobs.cancel'],
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
      RAW,
      JSON_OPTION,
    ],
    routes: ['jobs.result', 'jobs.logs'],
    json: 'JobLogs',
    jsonLines: LOG_EVENTS,
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
    options: [...LIST_OPTIONS, JSON_OPTION],
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
    options: [
      { flags: '--only-now', about: 'drop the message if the job ends before its agent has it' },
      IDEMPOTENCY_KEY,
      JSON_OPTION,
    ],
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
    options: [
      { flags: '--question <id>', about: 'id of the question; default: the open one, which is then named' },
      JSON_OPTION,
    ],
    routes: ['jobs.read', 'jobs.questions', 'jobs.answer'],
    json: 'Job',
    load: async () => await import('./commands/answer.ts'),
  },
  action('cancel', 'cancel a job', [TREE]),
  action('kill', 'kill the processes of a running job', [TREE]),
  action('retry', 'start another attempt of a job that has ended', [
    {
      flags: '--from <where>',
      about: 'begin with the prompt (default), or where the agent stopped',
      choices: RETRY_FROM,
    },
  ]),
  action('submit', 'queue a draft'),
  ...RECORD_COMMANDS,
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
    args: [JOB, ['[paths...]', 'files to download; default: all. Without --output, one is printed']],
    options: [
      {
        flags: '-o, --output <folder>',
        about: 'download into this folder what is not there yet; files that differ are kept',
      },
      ATTEMPT,
      JSON_OPTION,
    ],
    routes: ['attachments.list', 'attachments.read'],
    json: 'AttachmentList',
    load: async () => await import('./commands/attachments.ts'),
  },
  {
    name: 'files',
    about: 'list the files that a job left in its folder, print one, or download them',
    args: [JOB, ['[path]', 'a file; it is printed unless --output is given']],
    options: [
      {
        flags: '-o, --output <folder>',
        about: 'download into this folder what is not there yet; files that differ are kept',
      },
      ATTEMPT,
      JSON_OPTION,
    ],
    routes: ['files.list', 'files.read'],
    json: 'JobFileList',
    load: async () => await import('./commands/files.ts'),
  },
  {
    name: 'pull',
    about:
      'apply the changes that a job made in its repository to the git repository here; without one, download its files',
    args: [JOB],
    options: [
      { flags: '-o, --output <folder>', about: 'of a job without a repository: the folder; default: ID' },
      { flags: '--check', about: 'only check whether they apply' },
      { flags: '--3way', about: 'merge what does not apply, as `git apply --3way` does' },
      { flags: '--allow-config', about: 'also apply changes to settings that programs obey, such as .envrc' },
      JSON_OPTION,
    ],
    routes: ['jobs.read', 'attachments.read', 'files.list', 'files.read'],
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
  ...PROJECT_COMMANDS,
  ...AUTOMATION_COMMANDS,
  ...SUBSCRIPTION_COMMANDS,
  {
    name: 'platform',
    about: 'show the version of the service, its agents, what is on, and what this version does not have',
    options: [JSON_OPTION],
    routes: ['platform.read'],
    json: 'Platform',
    load: async () => await import('./commands/platform.ts'),
  },
  {
    name: 'templates',
    about: 'list the templates of jobs, show one or its versions, save one from a file, or delete one',
    args: [
      ['[action]', 'what to do; default: list', ['list', 'show', 'versions', 'save', 'delete']],
      ['[target]', 'name of the template; of save, a file in YAML or JSON, - is stdin'],
    ],
    options: [
      {
        flags: '--template-version <n>',
        about: 'of show: an earlier version, also of a deleted template',
        isNumber: true,
        least: 1,
      },
      { flags: '--name <name>', about: 'of save: name of the template; default: that in the file' },
      { flags: '--names', about: 'of list: print the names only, one a line' },
      JSON_OPTION,
    ],
    names: { after: ['show', 'versions', 'delete'], from: 'templates --names' },
    routes: ['templates.list', 'templates.read', 'templates.versions', 'templates.write', 'templates.delete'],
    json: 'TemplateList',
    load: async () => await import('./commands/templates.ts'),
  },
  {
    name: 'doctor',
    about: 'check the service, and report what is wrong and what to do',
    options: [{ flags: '--job [profile]', about: 'also run a small job; default profile: codex' }, JSON_OPTION],
    routes: ['health.read', 'session.read', 'environment.read', 'codex-account.read', 'jobs.list'],
    json: 'DoctorReport',
    load: async () => await import('./commands/doctor.ts'),
  },
  {
    name: 'api',
    about: 'call any route of the API, and print its answer',
    args: [
      ['<method>', 'method of the request', METHODS],
      ['<path>', 'path after /api/v1, with its query, such as /stats'],
    ],
    options: [
      { flags: '--data <json>', about: 'body of the request' },
      { flags: '-f, --file <file>', about: 'read the body from a file; - is stdin', conflicts: ['data'] },
    ],
    routes: [],
    load: async () => await import('./commands/api.ts'),
  },
  {
    name: 'mcp',
    about: 'serve tools that run jobs to an agent, by the Model Context Protocol on stdin and stdout',
    routes: [...new Set(TOOLS.flatMap(({ routes, asking = [] }: ToolSpec) => [...routes, ...asking]))],
    load: async () => await import('./mcp/serve.ts'),
  },
  {
    name: 'dev',
    about: 'run the service on this machine until Ctrl-C; other commands find it',
    options: [
      { flags: '--port <n>', about: 'port of the service; default: PORT, or 8787; 0: any free one', isNumber: true },
      {
        flags: '--home <folder>',
        about:
          'folder of its data; default: PROMPTQ_HOME, or a folder in ~/.local/share/promptq for each current folder',
      },
      {
        flags: '--allow <folder>',
        about: 'jobs may also work in this folder and below; repeatable',
        isList: true,
      },
      { flags: '--config <file>', about: 'configuration file; default: PROMPTQ_CONFIG, or promptq.config.yaml' },
      { flags: '--messengers', about: 'messages of subscriptions go to stand-ins on this machine' },
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
