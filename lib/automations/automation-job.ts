import { fromTemplate } from '../catalog/from-template.ts';
import { InvalidFieldError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { AutomationJob } from '../contract/schemas/automation.ts';
import { checkFolder, checkTexts, requireProfile, type SettingsContext } from '../jobs/creation/job-settings.ts';
import { readCatalog } from '../jobs/creation/read-catalog.ts';
import { parameterValues } from '../projects/parameters.ts';

/*
 * The job that an automation describes: a prompt, or a template with values for its parameters. Names in braces, such as
 * `{{due_at}}`, stand for values of the run, in the prompt and in values that are texts. A value takes the place of a
 * name once: what it contains is not read again, neither here nor by the template.
 */

/** Values of a run by their names. */
export type RunValues = Readonly<Record<string, string>>;

export interface JobCheckContext extends SettingsContext {
  readonly defaultProfile: string;
}

/** What a run with these values asks `createJob` for. */
export function requestOf(job: AutomationJob, values: RunValues): AutomationJob {
  const { prompt, parameters } = job;
  const given = Object.entries(parameters ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? withValues(value, values) : value,
  ]);
  return {
    ...job,
    ...(prompt !== undefined && { prompt: withValues(prompt, values) }),
    ...(parameters !== undefined && { parameters: Object.fromEntries(given) }),
  };
}

function withValues(text: string, values: RunValues): string {
  return text.replaceAll(/\{\{([\w.]+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

interface JobCheck {
  readonly sample: RunValues;
  readonly takesData: boolean;
  readonly project: string | undefined;
}

/**
 * Checks the job as its creation would now.
 * @param sample values as a run has them
 * @param takesData whether data from outside is added to its prompt
 * @param project its project; undefined: none is named
 * @returns the project that its template names
 * @throws InvalidFieldError with all faults, by the names of fields below `job`
 */
export async function checkJob(
  context: JobCheckContext,
  job: AutomationJob,
  { sample, takesData, project: named }: JobCheck,
): Promise<string | undefined> {
  const bytes = Buffer.byteLength(JSON.stringify(job));
  const { jobBytes } = LIMITS.automations;
  if (bytes > jobBytes)
    throw InvalidFieldError.of('job', `received ${bytes} bytes as JSON; at most ${jobBytes} are allowed`);
  try {
    const own = { ...requestOf(job, sample), ...(named !== undefined && { project: named }) };
    const { request, from } = await fromTemplate(context.registry, own, async (project) =>
      parameterValues(context.registry, project),
    );
    const { profile: name = context.defaultProfile, rule_ids: ruleIds = [], prompt = '', extra_prompt, cwd } = request;
    const referred = await readCatalog(context.registry, { profile: name, ruleIds });
    const texts = {
      prompt,
      ...(extra_prompt !== undefined && { extra_prompt }),
      ...(ruleIds.length > 0 && { rule_ids: ruleIds }),
      ...(from !== undefined && { from }),
      ...(takesData && { has_data: true as const }),
    };
    checkTexts(referred, texts, requireProfile(context.agents, name, referred.profile));
    checkFolder(context, cwd);
    return request.project;
  } catch (error) {
    if (!(error instanceof InvalidFieldError)) throw error;
    throw new InvalidFieldError(
      error.problems.map(({ fields, problem }) => ({ fields: fields.map((field) => `job.${field}`), problem })),
    );
  }
}
