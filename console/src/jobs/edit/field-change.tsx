import Box from '@cloudscape-design/components/box';
import { type DiffLine, lineDiff } from '../../form/line-diff.ts';
import type { FieldChange as Change } from '../form/job-fields.ts';
import '../../form/text-change.css';

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
const WORDS: Readonly<Record<DiffLine['sign'], string>> = { ' ': '', '-': 'Taken out: ', '+': 'Put in: ' };
const CLASSES: Readonly<Record<DiffLine['sign'], string>> = { ' ': 'same', '-': 'gone', '+': 'come' };

/** What an edit does to one field: old and new, line by line. */
export function FieldChange({ change: { name, before, after } }: { change: Change }) {
  return <TextChange label={NAMES[name]} before={before} after={after} />;
}

interface TextChangeProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** What an edit does to a text, line by line. */
export function TextChange({ label, before, after }: TextChangeProps) {
  return (
    <section aria-label={label}>
      <Box variant="h3" fontSize="heading-xs">
        {label}
      </Box>
      <div className="line-diff">
        {lineDiff(before, after).map(({ sign, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are made anew as a whole
          <div key={at} className={`line-diff-${CLASSES[sign]}`}>
            <span aria-hidden="true">{sign} </span>
            <span className="line-diff-word">{WORDS[sign]}</span>
            {text}
          </div>
        ))}
      </div>
    </section>
  );
}
