import type { InputProps } from '@cloudscape-design/components/input';
import type { RefObject } from 'react';
import { useShortcuts } from '../../browser/use-shortcuts.ts';

interface ListKeys {
  readonly search: RefObject<InputProps.Ref | null>;
  readonly onToggle: (id: string) => void;
}

/** The keys of the list. `j` and `k` focus a job, so Enter opens it and a screen reader reads it. */
export function useListKeys({ search, onToggle }: ListKeys): void {
  useShortcuts({
    '/': () => search.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    x: () => {
      const id = focusedRow()?.querySelector<HTMLElement>(LINK)?.dataset.job;
      if (id !== undefined) onToggle(id);
    },
  });
}

const LINK = '[data-job]';

function focusedRow(): Element | null | undefined {
  return document.activeElement?.closest('tr');
}

function move(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>(LINK)];
  const at = links.findIndex((link) => focusedRow()?.contains(link));
  const next = links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
