import { EXPORT_FORMATS, EXPORT_KINDS } from '../contract/export-kinds.ts';
import type { CommandSpec } from './base/context.ts';
import { JOB, JSON_OPTION } from './jobs/job-options.ts';
import { EXPORT_FILTERS } from './jobs/list-options.ts';

/** The commands that take out what the service keeps of jobs, or delete it, and tell what happens to them. */
export const RECORD_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'remove',
    about: 'remove an ended job with everything that it holds, for good',
    args: [JOB],
    options: [{ flags: '--yes', about: 'confirm it; without it, nothing is removed' }, JSON_OPTION],
    routes: ['jobs.remove'],
    json: 'JobRemoved',
    load: async () => await import('./commands/remove.ts'),
  },
  {
    name: 'export',
    about: 'write jobs, attempts, usage, messages or the audit log to a file; waits and downloads it',
    args: [['<kind>', 'what is exported', EXPORT_KINDS]],
    options: [
      { flags: '--format <format>', about: 'default: jsonl; csv is for spreadsheets', choices: EXPORT_FORMATS },
      { flags: '-o, --output <file>', about: 'the file to write. A file that exists is kept' },
      ...EXPORT_FILTERS,
      JSON_OPTION,
    ],
    routes: ['exports.create', 'exports.read'],
    json: 'Export',
    load: async () => await import('./commands/export.ts'),
  },
  {
    name: 'exports',
    about: 'list exports, or download or delete one',
    args: [['[id]', 'the export to download']],
    options: [
      { flags: '-o, --output <file>', about: 'the file to write. A file that exists is kept' },
      { flags: '--delete', about: 'delete it with its files' },
      JSON_OPTION,
    ],
    routes: ['exports.list', 'exports.read', 'exports.delete'],
    json: 'ExportList',
    load: async () => await import('./commands/exports.ts'),
  },
  {
    name: 'events',
    about: 'print what happened to jobs in the last day, or what happens',
    args: [],
    options: [
      { flags: '-f, --follow', about: 'print what happens from now on, or after --after' },
      { flags: '--after <id>', about: 'only events after this one' },
      { flags: '--job <id>', about: 'only events of this job' },
      { flags: '--project <project>', about: 'only events of jobs of this project' },
      { flags: '--type <types>', about: 'only events of these types, separated by commas' },
      JSON_OPTION,
    ],
    routes: ['events.list'],
    json: 'Event',
    load: async () => await import('./commands/events.ts'),
  },
  {
    name: 'record',
    about: 'download the whole record of a job as one zip file',
    args: [JOB],
    options: [
      { flags: '-o, --output <file>', about: 'the file to write; default: JOB.zip. A file that exists is kept' },
    ],
    routes: ['jobs.record'],
    load: async () => await import('./commands/record.ts'),
  },
  {
    name: 'delete-output',
    about: 'delete what the attempts of an ended job wrote; the record of the job stays',
    args: [JOB],
    options: [{ flags: '--yes', about: 'confirm it; without it, nothing is deleted' }, JSON_OPTION],
    routes: ['jobs.delete-output'],
    json: 'OutputDeleted',
    load: async () => await import('./commands/delete-output.ts'),
  },
];
