import type { CommandSpec } from './base/context.ts';
import type { OptionSpec } from './base/option.ts';
import { JSON_OPTION } from './jobs/job-options.ts';

const PROJECT: OptionSpec = { flags: '--project <name>', about: 'id or name of the project; default: local_project' };

/** The commands about projects and what they keep. */
export const PROJECT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'projects',
    about: 'list projects and their jobs',
    options: [JSON_OPTION],
    routes: ['projects.list'],
    json: 'ProjectList',
    load: async () => await import('./commands/projects.ts'),
  },
  {
    name: 'parameters',
    about: 'list the parameters of a project, which its jobs get as environment variables, or set or remove some',
    args: [
      ['[settings...]', 'NAME=VALUE of each parameter to set; without any, and without --remove, they are listed'],
    ],
    options: [
      PROJECT,
      { flags: '--description <text>', about: 'what the parameters that are set are for; an empty text: none' },
      { flags: '--remove <name>', about: 'remove a parameter; repeatable', isList: true },
      JSON_OPTION,
    ],
    routes: ['parameters.list', 'parameters.write', 'parameters.delete'],
    json: 'ParameterList',
    load: async () => await import('./commands/parameters.ts'),
  },
  {
    name: 'diagrams',
    about: 'list the Mermaid diagrams of a project, show one, save one from a file, or delete one',
    args: [
      ['[action]', 'what to do; default: list', ['list', 'show', 'save', 'delete']],
      ['[target]', 'name of the diagram to show or delete; file to save, - is stdin'],
    ],
    options: [
      PROJECT,
      { flags: '--name <name>', about: 'of save: name of the diagram; default: that of the file' },
      { flags: '--job <id>', about: 'of save: the job that made it' },
      JSON_OPTION,
    ],
    routes: ['diagrams.list', 'diagrams.read', 'diagrams.write', 'diagrams.delete'],
    json: 'DiagramList',
    load: async () => await import('./commands/diagrams.ts'),
  },
];
