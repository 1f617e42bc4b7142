import Input from '@cloudscape-design/components/input';
import ToggleButton from '@cloudscape-design/components/toggle-button';
import { useMemo } from 'react';
import { EVENT_FILTERS, type EventFilter, filtersOf } from '../events/event-filter.ts';
import type { TimelineEvent } from '../events/timeline-event.ts';

interface TimelineBarProps {
  readonly events: readonly TimelineEvent[];
  readonly filters: ReadonlySet<EventFilter>;
  readonly onFilters: (filters: ReadonlySet<EventFilter>) => void;
  readonly words: string;
  readonly onWords: (words: string) => void;
}

/** Filters the timeline by kinds of events and by words. Kinds without events are not offered. */
export function TimelineBar({ events, filters, onFilters, words, onWords }: TimelineBarProps) {
  const counts = useMemo(() => {
    const sums = new Map<EventFilter, number>();
    for (const { event } of events)
      for (const filter of filtersOf(event)) sums.set(filter, (sums.get(filter) ?? 0) + 1);
    return sums;
  }, [events]);
  const kinds = (Object.keys(EVENT_FILTERS) as EventFilter[]).filter((kind) => counts.has(kind) || filters.has(kind));
  return (
    <>
      <fieldset className="timeline-filters">
        <legend>Show only</legend>
        {kinds.map((kind) => (
          <ToggleButton
            key={kind}
            pressed={filters.has(kind)}
            onChange={({ detail }) =>
              onFilters(new Set(detail.pressed ? [...filters, kind] : [...filters].filter((other) => other !== kind)))
            }
          >
            {`${EVENT_FILTERS[kind]} (${(counts.get(kind) ?? 0).toLocaleString('en')})`}
          </ToggleButton>
        ))}
      </fieldset>
      <div className="timeline-search">
        <Input
          type="search"
          ariaLabel="Search the timeline"
          clearAriaLabel="Clear the search"
          placeholder="Search the timeline"
          value={words}
          onChange={({ detail }) => onWords(detail.value)}
        />
      </div>
    </>
  );
}
