import type { Page, Route } from 'playwright-core';
import { fetchLocalhost } from '../../lib/access/localhost-fetch.ts';
import type { components } from '../../lib/client/api-types.ts';

type Schemas = components['schemas'];

/** What the service answers to a GET that was caught; Playwright itself doesn't reach names under `.localhost`. */
export async function serviceAnswer<T>(route: Route): Promise<T> {
  const response = await fetchLocalhost(route.request().url(), { headers: await route.request().allHeaders() });
  return (await response.json()) as T;
}

/** Has the API refuse everything but who is signed in. */
export function refuse(status: number, body: object) {
  return async (page: Page) =>
    await page.route('**/api/v1/**', async (route) =>
      route.request().url().endsWith('/session') ? await route.continue() : await route.fulfill({ status, json: body }),
    );
}

/** Has lists answer that there is nothing. */
export async function answerNothing(page: Page): Promise<void> {
  const lists = /\/api\/v1\/(jobs|projects|rules|deploy-bindings|audit-logs|tokens|sessions)(\?|$)/;
  await page.route(lists, async (route) => {
    const answer = await serviceAnswer<{ status_counts?: Record<string, number> }>(route);
    const names = Object.keys(answer.status_counts ?? {});
    const status_counts = Object.fromEntries(names.map((name) => [name, 0]));
    await route.fulfill({ json: { ...answer, items: [], total: 0, next_cursor: null, status_counts } });
  });
}

/** Has the API answer nothing at all but who is signed in. */
export async function neverAnswer(page: Page): Promise<void> {
  await page.route('**/api/v1/**', async (route) => {
    if (route.request().url().endsWith('/session')) await route.continue();
  });
}

/** Has the vendor account be in a state. */
export function accountIn(state: Schemas['Account']['state'], more: Partial<Schemas['Account']> = {}) {
  return async (page: Page) => {
    const account = { vendor: 'codex', state, logged_in: false, updated_at: new Date().toISOString(), ...more };
    await page.route('**/api/v1/codex-account', async (route) => await route.fulfill({ json: account }));
  };
}

/** A month of figures, the same at every look. */
export async function answerMonth(page: Page): Promise<void> {
  await page.route('**/api/v1/stats', async (route) => {
    const stats = await serviceAnswer<Schemas['Stats']>(route);
    const { jobs, tokens } = stats;
    jobs.by_day = jobs.by_day.map(({ day }, at) => ({ day, ...endsOf(weekly(day, at)) }));
    jobs.last_30_days = endsOf(jobs.by_day.reduce((sum, { succeeded }) => sum + succeeded, 0));
    tokens.by_day = tokens.by_day.map(({ day }, at) => ({ day, ...tokensOf(weekly(day, at) * 21_000) }));
    tokens.last_30_days = tokensOf(tokens.by_day.reduce((sum, { input_tokens }) => sum + input_tokens, 0));
    tokens.by_model = ['gpt-5-codex', 'claude-sonnet'].map((model, at) => ({
      model,
      ...tokensOf(9_400_000 - at * 6e6),
    }));
    tokens.by_project = ['storefront', 'handbook'].map((project, at) => ({
      project_id: project,
      project,
      ...tokensOf(8_100_000 - at * 4e6),
    }));
    await route.fulfill({ json: stats });
  });
}

/** Jobs that succeeded on a day: few at weekends. */
function weekly(day: string, at: number): number {
  const weekday = new Date(day).getUTCDay();
  return (weekday % 6 === 0 ? 6 : 38) + ((at * 7) % 11);
}

function endsOf(succeeded: number): Schemas['Stats']['jobs']['last_30_days'] {
  const failed = Math.round(succeeded / 9);
  const spread = (p50: number) => ({
    count: succeeded + failed,
    p50: p50 + succeeded * 11,
    p95: p50 * 4 + succeeded * 60,
  });
  return {
    succeeded,
    failed,
    cancelled: Math.round(succeeded / 25),
    success_rate: succeeded / (succeeded + failed),
    queue_wait_ms: spread(900),
    duration_ms: spread(64_000),
  };
}

function tokensOf(input_tokens: number): Schemas['TokenSums'] {
  return {
    input_tokens,
    cached_input_tokens: Math.round(input_tokens * 0.7),
    output_tokens: Math.round(input_tokens / 12),
    reasoning_output_tokens: Math.round(input_tokens / 40),
    cost_usd: input_tokens / 1_400_000,
  };
}
