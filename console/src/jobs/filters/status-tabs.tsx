import { STATUSES, type Status } from '../../../../lib/contract/statuses.ts';
import { statusText } from '../status/job-status.tsx';
import './status-tabs.css';

interface StatusTabsProps {
  /** Of all jobs; undefined: not loaded, or other filters are active, under which the API does not count. */
  readonly counts: Readonly<Record<Status, number>> | undefined;
  readonly selected: Status | undefined;
  readonly onSelect: (status: Status | undefined) => void;
}

/** Tabs that choose the state that the list shows, with the number of jobs per state. */
export function StatusTabs({ counts, selected, onSelect }: StatusTabsProps) {
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  const tab = (status: Status | undefined, text: string, count: number | undefined) => (
    <button
      key={text}
      type="button"
      className="status-tab"
      aria-pressed={selected === status}
      onClick={() => onSelect(status)}
    >
      {text} <span className="status-tab-count">{count?.toLocaleString('en')}</span>
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't scroll horizontally in every browser
    <div className="status-tabs" role="group" aria-label="State">
      {tab(undefined, 'All', all)}
      {STATUSES.map((status) => tab(status, statusText(status), counts?.[status]))}
    </div>
  );
}
