import { TextChange } from '../../form/text-change.tsx';
import type { FieldChange as Change } from '../form/job-fields.ts';

const NAMES: Readonly<Record<Change['name'], string>> = {
  prompt: 'Prompt',
  extra_prompt: 'Extra prompt',
  rule_ids: 'Rules',
  profile: 'Profile',
  model: 'Model',
  priority: 'Priority',
  timeout: 'Timeout',
  retries: 'Retries',
  cwd: 'Folder',
  project: 'Project',
  title: 'Title',
  tags: 'Tags',
};

/** The change of one field, line by line. */
export function FieldChange({ change: { name, before, after } }: { change: Change }) {
  return <TextChange label={NAMES[name]} before={before} after={after} />;
}
