import type { Schemas } from '../api/client.ts';

/** An event of a job, or of what its `subject` names. */
export type Event = Schemas['Event'];

/** The filters of the feed, by their API names, as they are in the page's address. Empty ones are not applied. */
export interface FeedFilters {
  /** Types, separated by commas. */
  readonly type: string;
  readonly project: string;
  readonly template: string;
  readonly automation: string;
  readonly job: string;
  /** One of `PERIODS`, or a time (RFC 3339). */
  readonly since: string;
}

export const NO_FEED_FILTERS: FeedFilters = { type: '', project: '', template: '', automation: '', job: '', since: '' };

const HOUR_MS = 3_600_000;
export const DEFAULT_PERIOD = '24h';

/** How far back the feed can begin. */
export const PERIODS = [
  { value: '1h', label: 'The last hour', ms: HOUR_MS },
  { value: DEFAULT_PERIOD, label: 'The last 24 hours', ms: 24 * HOUR_MS },
  { value: '7d', label: 'The last 7 days', ms: 7 * 24 * HOUR_MS },
  { value: '30d', label: 'The last 30 days', ms: 30 * 24 * HOUR_MS },
] as const;

/** The filters in an address. A time that is none is left out. */
export function readFeedFilters(parameters: URLSearchParams): FeedFilters {
  const names = Object.keys(NO_FEED_FILTERS) as (keyof FeedFilters)[];
  const read = Object.fromEntries(names.map((name) => [name, parameters.get(name)?.trim() ?? '']));
  const { since = '' } = read;
  const isKnown = PERIODS.some(({ value }) => value === since) || !Number.isNaN(Date.parse(since));
  return { ...NO_FEED_FILTERS, ...read, since: isKnown && since !== DEFAULT_PERIOD ? since : '' };
}

/** The query of an address with these filters. */
export function writeFeedFilters(filters: FeedFilters): [string, string][] {
  return Object.entries(filters).filter(([, value]) => value !== '');
}

/** The time (RFC 3339) at which a feed with these filters begins. */
export function beginningOf({ since }: FeedFilters): string {
  const period = PERIODS.find(({ value }) => value === (since || DEFAULT_PERIOD));
  return new Date(period === undefined ? since : Date.now() - period.ms).toISOString();
}
