import type { OptionSpec } from '../base/option.ts';

/** The template that jobs are created from. */
export const TEMPLATE: readonly OptionSpec[] = [
  {
    flags: '-t, --template <name>',
    about: 'create the job from this template, with the values that follow',
    field: 'template',
    conflicts: ['file'],
  },
  {
    flags: '--template-version <n>',
    about: 'an earlier version of the template',
    field: 'template_version',
    isNumber: true,
    least: 1,
  },
  {
    flags: '--value-file <name=file>',
    about: 'value of a parameter from a file; - is stdin; repeatable',
    isList: true,
  },
];

export const PREVIEW: OptionSpec = {
  flags: '--preview',
  about: 'print the prompt and the settings that the template makes, and create no job',
  conflicts: ['detach', 'draft', 'wait', 'follow'],
};

export const VALUES = ['[values...]', 'with --template, instead of a prompt: NAME=VALUE of each parameter'] as const;
export const TEMPLATE_NAMES = { after: ['-t', '--template'], from: 'templates --names' } as const;
