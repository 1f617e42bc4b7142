import { type JobFields, NO_FIELDS } from './job-fields.ts';

interface Example {
  /** Stands in the address of the form. */
  readonly id: string;
  readonly text: string;
  readonly fields: Partial<JobFields>;
}

/** Jobs to begin with: what they do to the working folder is harmless. */
export const EXAMPLES: readonly Example[] = [
  {
    id: 'hello',
    text: 'Say hello',
    fields: { prompt: 'Say hello, and describe in three sentences what you can do in this folder.', title: 'Hello' },
  },
  {
    id: 'readme',
    text: 'Write a README',
    fields: {
      prompt: 'Write a README.md for the files of this folder: what each is for and how to run it.',
      title: 'Write a README',
    },
  },
  {
    id: 'script',
    text: 'Run a script',
    fields: { prompt: 'uname -a\ndf -h .', profile: 'shell', title: 'Describe the worker' },
  },
];

/** The form as an example fills it; undefined if there is no such example. */
export function exampleFields(id: string | null): JobFields | undefined {
  const example = EXAMPLES.find((known) => known.id === id);
  return example && { ...NO_FIELDS, ...example.fields };
}
