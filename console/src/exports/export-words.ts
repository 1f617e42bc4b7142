import { EXPORT_FILTERS } from '../../../lib/cli/jobs/list-options.ts';
import { EXPORT_KINDS, type ExportKind } from '../../../lib/contract/export-kinds.ts';
import type { Export } from './export-queries.ts';

/** What each kind has in a row. */
export const KIND_WORDS: Readonly<Record<ExportKind, { readonly label: string; readonly about: string }>> = {
  jobs: { label: 'Jobs', about: 'A row a job, as in the list.' },
  attempts: { label: 'Attempts', about: 'A row an attempt, of the newest ten of each job.' },
  usage: { label: 'Usage', about: 'Tokens and cost of each job that reported any.' },
  messages: { label: 'Messages', about: 'A row a message to a job.' },
  audit: { label: 'Audit log', about: 'A row an entry of the audit log.' },
};

const OF_AUDIT = ['actor', 'action', 'created_after', 'created_before'];

/** The names of the filters of a kind. */
export function filtersOf(kind: ExportKind): readonly string[] {
  if (kind === 'audit') return OF_AUDIT;
  return EXPORT_FILTERS.map(({ name }) => name).filter((name) => name !== 'actor' && name !== 'action');
}

/** The name of a filter as people read it: `Created after`. */
export function filterLabel(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('_', ' ');
}

export function kindLabel(kind: string): string {
  const known = EXPORT_KINDS.find((one) => one === kind);
  return known === undefined ? kind : KIND_WORDS[known].label;
}

/** The conditions of an export in a line. */
export function conditionsText({ filter }: Pick<Export, 'filter'>): string {
  const conditions = Object.entries(filter).map(([name, value]) => `${filterLabel(name)}: ${value}`);
  return conditions.length === 0 ? 'All' : conditions.join(', ');
}
