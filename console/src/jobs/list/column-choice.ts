import { useState } from 'react';
import { useNarrowScreen } from '../../browser/narrow-screen.ts';

/** The optional columns of the list, in order. Tags are below the title. */
export const COLUMN_LABELS = {
  status: 'State',
  tags: 'Tags',
  project: 'Project',
  profile: 'Profile',
  agent: 'Agent',
  model: 'Model',
  automation: 'Automation',
  priority: 'Priority',
  turn: 'Turn',
  attempt: 'Attempt',
  exit_code: 'Exit code',
  created_by: 'Created by',
  created: 'Created',
  started: 'Started',
  duration: 'Run time',
} as const;

export type ColumnId = keyof typeof COLUMN_LABELS;
export const COLUMN_IDS = Object.keys(COLUMN_LABELS) as readonly ColumnId[];

const WIDE: readonly ColumnId[] = ['status', 'tags', 'project', 'profile', 'created', 'duration'];
const NARROW: readonly ColumnId[] = ['status', 'tags', 'project', 'created'];
const KEY = 'promptq.job-columns';

export interface ColumnChoice {
  readonly shown: readonly ColumnId[];
  /** Stores the columns in this browser; undefined restores the default of the screen. */
  readonly choose: (columns: readonly ColumnId[] | undefined) => void;
}

/** The columns chosen in this browser. */
export function useColumnChoice(): ColumnChoice {
  const narrow = useNarrowScreen();
  const [chosen, setChosen] = useState(storedColumns);
  return {
    shown: chosen ?? (narrow ? NARROW : WIDE),
    choose: (columns) => {
      setChosen(columns);
      if (columns === undefined) window.localStorage.removeItem(KEY);
      else window.localStorage.setItem(KEY, columns.join(','));
    },
  };
}

function storedColumns(): readonly ColumnId[] | undefined {
  const stored = window.localStorage.getItem(KEY)?.split(',');
  return stored && COLUMN_IDS.filter((id) => stored.includes(id));
}
