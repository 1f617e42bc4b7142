import Button from '@cloudscape-design/components/button';
import { useMemo, useState } from 'react';
import { inlineRows, sideBySideRows } from './changed-rows.ts';
import type { DiffLayout } from './diff-layout.ts';
import type { ChangedLine, ChangedPart } from './parse-changes.ts';
import { visibleText } from './visible-text.ts';

/** Rows of one file shown initially and per "Show more": tens of thousands take a browser seconds. */
const ROWS_PER_STEP = 1_000;
const CLASSES: Readonly<Record<ChangedLine['sign'], string>> = {
  ' ': 'same',
  '-': 'removed',
  '+': 'added',
  '\\': 'note',
};
const WORDS: Readonly<Record<ChangedLine['sign'], string>> = { ' ': '', '-': 'Removed: ', '+': 'Added: ', '\\': '' };

interface DiffRowsProps {
  readonly path: string;
  readonly parts: readonly ChangedPart[];
  readonly layout: DiffLayout;
}

/** The changed lines of one file, with the lines around them. */
export function DiffRows({ path, parts, layout }: DiffRowsProps) {
  const [count, setCount] = useState(ROWS_PER_STEP);
  const isInline = layout === 'inline';
  const rows = useMemo(() => (isInline ? inlineRows(parts) : sideBySideRows(parts)), [parts, isInline]);
  const hidden = rows.length - count;
  return (
    <>
      <table className={`diff-rows diff-${layout}`} aria-label={`Changes in ${visibleText(path)}`}>
        <thead>
          <tr>
            {(isInline ? ['Old line', 'New line', 'Change'] : ['Old line', 'Before', 'New line', 'After']).map(
              (name) => (
                <th key={name} scope="col" className={/line/.test(name) ? 'diff-number' : undefined}>
                  <span className="diff-word">{name}</span>
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, count).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of the rows never changes
            <tr key={at}>
              {'heading' in row ? (
                <td className="diff-heading" colSpan={isInline ? 3 : 4}>
                  {row.heading}
                </td>
              ) : 'sign' in row ? (
                <>
                  <Numbered line={row} number={row.before} />
                  <Numbered line={row} number={row.after} />
                  <Content line={row} />
                </>
              ) : (
                <>
                  <Numbered line={row.before} number={row.before?.before} />
                  <Content line={row.before} />
                  <Numbered line={row.after} number={row.after?.after} />
                  <Content line={row.after} />
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <Button onClick={() => setCount(count + ROWS_PER_STEP)}>
          Show {Math.min(hidden, ROWS_PER_STEP).toLocaleString('en')} more lines of {hidden.toLocaleString('en')}
        </Button>
      )}
    </>
  );
}

function Numbered({ line, number }: { line: ChangedLine | undefined; number: number | undefined }) {
  return <td className={`diff-number diff-${line ? CLASSES[line.sign] : 'none'}`}>{number}</td>;
}

function Content({ line }: { line: ChangedLine | undefined }) {
  if (line === undefined) return <td className="diff-none" />;
  return (
    <td className={`diff-text diff-${CLASSES[line.sign]}`}>
      <span className="diff-sign" aria-hidden="true">
        {line.sign === '\\' ? ' ' : line.sign}
      </span>
      <span className="diff-word">{WORDS[line.sign]}</span>
      {visibleText(line.text)}
    </td>
  );
}
