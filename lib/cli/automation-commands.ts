import { HOOK_STYLES, MISSED, OVERLAPS, STARTING_EVENTS } from '../contract/automation-choices.ts';
import type { CommandSpec } from './base/context.ts';
import { JOB_OPTIONS, JSON_OPTION } from './jobs/job-options.ts';
import { TEMPLATE, TEMPLATE_NAMES, VALUES } from './templates/template-options.ts';

/** Commands of automations. */
export const AUTOMATION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'schedule',
    about: 'create an automation, which creates a job by schedule, and show when it is due next',
    args: [['<name>', 'name of the automation'], ['[prompt]', 'prompt of its jobs'], VALUES],
    options: [
      { flags: '--cron <expression>', about: 'five fields or a nickname, such as "0 3 * * MON-FRI" or @daily' },
      { flags: '--every <interval>', about: 'interval, such as 30m, 6h or 2d', conflicts: ['cron'] },
      { flags: '--timezone <zone>', about: 'IANA time zone of the expression; default: that of this machine' },
      { flags: '--overlap <rule>', about: 'if its last job has not ended', choices: OVERLAPS },
      { flags: '--missed <rule>', about: 'which missed instants are made up for', choices: MISSED },
      { flags: '--jitter <seconds>', about: 'start up to so much later', isNumber: true },
      { flags: '--pause-after <n>', about: 'pause after so many failures in a row; 0: never', isNumber: true },
      { flags: '--until <time>', about: 'not due after this time, in RFC 3339' },
      { flags: '--dry-run', about: 'only check it and show when it is due' },
      ...JOB_OPTIONS,
      ...TEMPLATE,
      JSON_OPTION,
    ],
    names: TEMPLATE_NAMES,
    routes: ['automations.create', 'templates.read'],
    json: 'Automation',
    load: async () => await import('./commands/schedule.ts'),
  },
  {
    name: 'hook',
    about: 'create an automation, which creates a job for each delivery to its address, and show address and secret',
    args: [
      ['<name>', 'name of the automation'],
      ['[prompt]', 'prompt of its jobs, below which the data is quoted'],
      VALUES,
    ],
    options: [
      {
        flags: '--style <style>',
        about: 'how deliveries are signed; default: standard_webhooks',
        choices: HOOK_STYLES,
      },
      { flags: '--header <name>', about: 'header with the signature (hmac) or the secret (header_secret)' },
      { flags: '--prefix <text>', about: 'what is before the signature in the header (hmac)' },
      { flags: '--encoding <name>', about: 'of the signature (hmac); default: hex', choices: ['hex', 'base64'] },
      {
        flags: '--delivery-id <place>',
        about: 'where the sender gives the id of a delivery: the name of a header, or a pointer such as /id',
      },
      {
        flags: '--filter <pointer=value>',
        about: 'only deliveries with this value; repeatable: one value of each pointer has to be there',
        isList: true,
      },
      {
        flags: '--map <name=pointer>',
        about: 'quote this value, not the whole body; repeatable, such as title=/issue/title',
        isList: true,
      },
      { flags: '--drafts', about: 'create drafts, which a person submits' },
      ...JOB_OPTIONS,
      ...TEMPLATE,
      JSON_OPTION,
    ],
    names: TEMPLATE_NAMES,
    routes: ['automations.create', 'templates.read'],
    json: 'Automation',
    load: async () => await import('./commands/hook.ts'),
  },
  {
    name: 'on',
    about: 'create an automation, which creates a job for each event of other jobs, such as their success',
    args: [
      ['<name>', 'name of the automation'],
      ['[prompt]', 'prompt of its jobs, below which the event is quoted'],
      VALUES,
    ],
    options: [
      { flags: '--event <type>', about: `${STARTING_EVENTS.join(', ')}; repeatable`, isList: true },
      { flags: '--of-project <name>', about: 'only events of this project' },
      { flags: '--of-profile <name>', about: 'only events of jobs with this profile' },
      { flags: '--of-template <name>', about: 'only events of jobs of this template' },
      { flags: '--of-automation <id>', about: 'only events of jobs of this automation' },
      { flags: '--of-creator <name>', about: 'only events of jobs that this token or person created' },
      { flags: '--overlap <rule>', about: 'if its last job has not ended; default: queue', choices: OVERLAPS },
      { flags: '--pause-after <n>', about: 'pause after so many failures in a row; 0: never', isNumber: true },
      ...JOB_OPTIONS,
      ...TEMPLATE,
      JSON_OPTION,
    ],
    names: TEMPLATE_NAMES,
    routes: ['automations.create', 'templates.read'],
    json: 'Automation',
    load: async () => await import('./commands/on.ts'),
  },
  {
    name: 'automations',
    about: 'list automations with their health, or look after one: its runs, and the deliveries and secret of its hook',
    args: [
      [
        '[action]',
        'what to do; default: list',
        [
          ...['list', 'show', 'runs', 'run', 'enable', 'disable', 'delete'],
          ...['deliveries', 'deliver', 'resend', 'secret'],
        ],
      ],
      ['[name]', 'name or id of the automation'],
      [
        '[value]',
        'deliver: the body, as JSON; resend: the id of the delivery; secret: the one that the sender made; - is stdin',
      ],
    ],
    options: [JSON_OPTION],
    routes: [
      'automations.list',
      'automations.read',
      'automations.runs',
      'automations.run',
      'automations.edit',
      'automations.delete',
      'automations.deliveries',
      'automations.deliver',
      'automations.resend',
      'automations.secret',
    ],
    json: 'AutomationList',
    load: async () => await import('./commands/automations.ts'),
  },
];
