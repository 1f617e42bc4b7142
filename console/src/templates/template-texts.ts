import { textOfValue } from '../../../lib/contract/templates/parameter-values.ts';
import type { Template, TemplateParameter } from './template-queries.ts';

/** The members of a template besides name and version, in the order of its page. */
export const TEMPLATE_LABELS = {
  description: 'Description',
  prompt: 'Prompt',
  extra_prompt: 'Extra prompt',
  title: 'Title',
  parameters: 'Parameters',
  environment: 'Environment variables',
  profile: 'Profile',
  model: 'Model',
  priority: 'Priority',
  timeout: 'Timeout',
  retries: 'Retries',
  rule_ids: 'Rules',
  tags: 'Tags',
  project: 'Project',
  cwd: 'Folder',
} as const satisfies Partial<Record<keyof Template, string>>;

export type TemplateMember = keyof typeof TEMPLATE_LABELS;

/** A member as text, to read and to compare; empty if the template does not set it. */
export function memberText(template: Template, member: TemplateMember): string {
  const value = template[member];
  if (member === 'parameters') return template.parameters.map(parameterText).join('\n');
  if (member === 'environment') return template.environment ? 'The values are given to commands as variables.' : '';
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

/** The members that two versions differ in. */
export function templateChanges(before: Template, after: Template) {
  return (Object.keys(TEMPLATE_LABELS) as TemplateMember[])
    .map((member) => ({
      label: TEMPLATE_LABELS[member],
      before: memberText(before, member),
      after: memberText(after, member),
    }))
    .filter((change) => change.before !== change.after);
}

/** A parameter in lines, each with one of its properties. */
function parameterText(parameter: TemplateParameter): string {
  const { name, type, required, description } = parameter;
  return [
    `${name}: ${type}${required ? '' : ', optional'}`,
    ...(description === null ? [] : [`  ${description}`]),
    ...parameterRules(parameter).map((rule) => `  ${rule}`),
  ].join('\n');
}

/** What a value may be, in words. */
export function parameterRules({ pattern, values, default: usual, example }: TemplateParameter): string[] {
  return [
    ...(values === null ? [] : [`One of ${values.join(', ')}`]),
    ...(pattern === null ? [] : [`Matches ${pattern}`]),
    ...(usual === undefined ? [] : [`Default: ${textOfValue(usual)}`]),
    ...(example === undefined ? [] : [`Example: ${textOfValue(example)}`]),
  ];
}
