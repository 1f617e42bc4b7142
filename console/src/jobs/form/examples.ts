import { type JobFields, NO_FIELDS } from './job-fields.ts';

interface Example {
  /** Identifies the example in the address of the form. */
  readonly id: string;
  readonly text: string;
  readonly fields: Partial<JobFields>;
}

/** Example jobs. They are harmless to the working folder. */
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

/** The form's values for an example; undefined if it does not exist. */
export function exampleFields(id: string | null): JobFields | undefined {
  const example = EXAMPLES.find((known) => known.id === id);
  return example && { ...NO_FIELDS, ...example.fields };
}
