import type { Promptq, Schemas } from '../../client/promptq.ts';
import type { Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { type JobOptions, jobFields } from '../jobs/job-fields.ts';
import { checkWithoutTemplate, type TemplateOptions, templateFields } from './template-values.ts';

/** Options that describe the job of an automation. */
export interface AutomationJobOptions extends JobOptions, TemplateOptions {}

/** The job of an automation, and the project of its jobs. */
interface Described {
  readonly job: Schemas['AutomationCreation']['job'];
  readonly project?: string | null;
}

/**
 * The job that words and options describe: its prompt, or a template with values. Without `--template-version`, each of
 * its jobs is created from the newest version.
 * @throws CommandError if the words and options name neither prompt nor template, or what only a template takes
 */
export async function automationJob(
  context: Context,
  client: () => Promise<Promptq>,
  [prompt, ...values]: readonly string[],
  options: AutomationJobOptions,
): Promise<Described> {
  if (options.template === undefined) {
    checkWithoutTemplate(values, options);
    const { project, ...job } = await jobFields(context, prompt, options);
    if (job.prompt === undefined) throw usageError('give a prompt, --file, or --template');
    return { job, ...(project !== undefined && { project }) };
  }
  const { project, ...own } = await jobFields(context, undefined, options);
  const given = prompt === undefined ? [] : [prompt, ...values];
  const { template, template_version, parameters } = await templateFields(context, await client(), given, options);
  return {
    job: {
      ...own,
      ...(template !== undefined && { template }),
      ...(options.templateVersion !== undefined && template_version !== undefined && { template_version }),
      ...(parameters !== undefined && { parameters }),
    },
    ...(project !== undefined && { project }),
  };
}
