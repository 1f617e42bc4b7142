import Box from '@cloudscape-design/components/box';
import { type DiffLine, lineDiff } from './line-diff.ts';
import './text-change.css';

const WORDS: Readonly<Record<DiffLine['sign'], string>> = { ' ': '', '-': 'Removed: ', '+': 'Added: ' };
const CLASSES: Readonly<Record<DiffLine['sign'], string>> = { ' ': 'same', '-': 'removed', '+': 'added' };

interface TextChangeProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** The change of a text, line by line. */
export function TextChange({ label, before, after }: TextChangeProps) {
  return (
    <section aria-label={label}>
      <Box variant="h3" fontSize="heading-xs">
        {label}
      </Box>
      <div className="line-diff">
        {lineDiff(before, after).map(({ sign, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: all lines are replaced together
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
