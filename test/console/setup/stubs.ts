import type { Page, Route } from 'playwright-core';
import { fetchLocalhost } from '../../../lib/access/sign-in/localhost-fetch.ts';
import type { components } from '../../../lib/client/api-types.ts';

type Schemas = components['schemas'];

/** The service's response to an intercepted GET. Playwright itself can't resolve names under `.localhost`. */
export async function serviceResponse<T>(route: Route): Promise<T> {
  const response = await fetchLocalhost(route.request().url(), { headers: await route.request().allHeaders() });
  return (await response.json()) as T;
}

/** Makes the API reject everything except the session. */
export function rejectRequests(status: number, body: object) {
  return async (page: Page) =>
    await page.route('**/api/v1/**', async (route) =>
      route.request().url().endsWith('/session') ? await route.continue() : await route.fulfill({ status, json: body }),
    );
}

/**
 * Lets the first write to an address reach the service, and loses the response.
 * @param gateway whether a gateway responds instead
 */
export async function loseFirstResponse(page: Page, address: string | RegExp, gateway = false): Promise<void> {
  let isLost = false;
  await page.route(address, async (route) => {
    const request = route.request();
    if (request.method() === 'GET' || isLost) return await route.fallback();
    isLost = true;
    const headers = await request.allHeaders();
    await fetchLocalhost(request.url(), { method: request.method(), headers, body: request.postData() });
    if (gateway) await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Timeout</h1>' });
    else await route.abort('connectionreset');
  });
}

/** Gives each job a template. */
export async function stubTemplate(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/jobs\/job_\w+$/, async (route) => {
    const job = await serviceResponse<Schemas['Job']>(route);
    const parameters = {
      package: 'react-router',
      size: 'major',
      files: 20,
      commit: false,
      notes: 'Routes first.\nThen links.',
    };
    await route.fulfill({ json: { ...job, template: { name: 'upgrade', version: 2, parameters } } });
  });
}

/** Makes lists empty. */
export async function emptyLists(page: Page): Promise<void> {
  const lists =
    /\/api\/v1\/(jobs|automations|projects|templates|rules|deploy-bindings|audit-logs|tokens|sessions)(\?|$)/;
  await page.route(lists, async (route) => {
    if (route.request().method() !== 'GET') return await route.fallback();
    const answer = await serviceResponse<{ status_counts?: Record<string, number> }>(route);
    const names = Object.keys(answer.status_counts ?? {});
    const status_counts = Object.fromEntries(names.map((name) => [name, 0]));
    await route.fulfill({ json: { ...answer, items: [], total: 0, next_cursor: null, status_counts } });
  });
}

/** Makes the API respond to nothing except the session. */
export async function neverRespond(page: Page): Promise<void> {
  await page.route('**/api/v1/**', async (route) => {
    if (route.request().url().endsWith('/session')) await route.continue();
  });
}

/** Sets the state of the vendor account. */
export function stubAccount(state: Schemas['Account']['state'], more: Partial<Schemas['Account']> = {}) {
  return async (page: Page) => {
    const account = { vendor: 'codex', state, logged_in: false, updated_at: new Date().toISOString(), ...more };
    await page.route('**/api/v1/codex-account', async (route) => await route.fulfill({ json: account }));
  };
}

/** Gives a job changes to its project's repository: edited, added, deleted, large, binary and executable files. */
export async function stubChanges(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/jobs\/job_\w+$/, async (route) => {
    const job = await serviceResponse<Schemas['Job']>(route);
    const changes = { branch: `promptq/${job.id}`, base: 'a3f1'.repeat(10), head: '5b07'.repeat(10) };
    const counts = { stat: '', files: 6, insertions: 507, deletions: 5, truncated: false, masked: false };
    await route.fulfill({ json: { ...job, changes: { ...changes, ...counts } } });
  });
  await page.route('**/attachments/*changes.diff', async (route) => await route.fulfill({ body: CHANGES_DIFF }));
}

/** Gives two jobs changes: the second one's diff rounds differently, and has one file less. */
export async function stubComparedChanges(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/jobs\/job_\w+\/result/, async (route) => {
    const result = await serviceResponse<Schemas['JobResult']>(route);
    const counts = { stat: '', files: 6, insertions: 507, deletions: 5, truncated: false, masked: false };
    const changes = { branch: `promptq/${result.id}`, base: 'a3f1'.repeat(10), head: '5b07'.repeat(10), ...counts };
    await route.fulfill({ json: { ...result, changes } });
  });
  await page.route('**/attachments/*changes.diff*', async (route) => {
    const second = new URL(page.url()).searchParams.get('b') ?? '';
    const isSecond = route.request().url().includes(second);
    const [withoutCases = ''] = CHANGES_DIFF.split('diff --git a/test/cases.csv');
    const body = withoutCases.replace('minor % 1 === 0.5 ? minor', 'minor').replace('half even', 'half up');
    await route.fulfill({ body: isSecond ? body : CHANGES_DIFF });
  });
}

const CHANGES_DIFF = `diff --git a/src/checkout/round.ts b/src/checkout/round.ts
index 5b0ad3e..90c1d2f 100644
--- a/src/checkout/round.ts
+++ b/src/checkout/round.ts
@@ -1,8 +1,9 @@
 import type { Money } from '../money.ts';
 
-/** Rounds to cents. */
-export function round({ amount }: Money): number {
-  return Math.round(amount * 100) / 100;
+/** Rounds half to even, as the invoices of the accounting department do; half up would add a cent to every second order. */
+export function round({ amount, currency }: Money): number {
+  const minor = amount * 10 ** decimalsOf(currency);
+  return Math.round(minor % 1 === 0.5 ? minor - (Math.floor(minor) % 2 ? 0 : 1) : minor);
 }
 
 export const ZERO: Money = { amount: 0, currency: 'EUR' };
diff --git a/src/checkout/legacy-round.ts b/src/checkout/legacy-round.ts
deleted file mode 100644
index 8d1c8b6..0000000
--- a/src/checkout/legacy-round.ts
+++ /dev/null
@@ -1,2 +0,0 @@
-/** Kept for the old shop. */
-export { round as legacyRound } from '../round.ts';
diff --git a/docs/logo.png b/docs/logo.png
new file mode 100644
index 0000000..f76dd23
GIT binary patch
literal 2
JcmZQzU|<9Q00aO5

literal 0
HcmV?d00001

diff --git a/bin/release b/bin/release
old mode 100644
new mode 100755
diff --git a/test/rounding-of-invoices-in-currencies-without-minor-units-and-with-three-decimals.test.ts b/test/rounding-of-invoices-in-currencies-without-minor-units-and-with-three-decimals.test.ts
new file mode 100644
index 0000000..2f5d1ab
--- /dev/null
+++ b/test/rounding-of-invoices-in-currencies-without-minor-units-and-with-three-decimals.test.ts
@@ -0,0 +1,3 @@
+test('half a cent goes to the even one', () => {
+  expect(round({ amount: 0.125, currency: 'EUR' })).toBe(12);
+});
diff --git a/test/cases.csv b/test/cases.csv
new file mode 100644
index 0000000..19db2b4
--- /dev/null
+++ b/test/cases.csv
@@ -0,0 +1,500 @@
${Array.from({ length: 500 }, (_, at) => `+${at / 8},EUR\n`).join('')}`;

/** Statistics of a month, always the same. */
export async function stubMonth(page: Page): Promise<void> {
  await page.route('**/api/v1/stats', async (route) => {
    const stats = await serviceResponse<Schemas['Stats']>(route);
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

/** A job whose output was deleted. */
export async function stubDeletedOutput(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/jobs\/job_\w+$/, async (route) => {
    const job = await serviceResponse<Schemas['Job']>(route);
    const deleted = { output_deleted_at: job.updated_at, output_deleted_by: 'user:mira@example.com' };
    await route.fulfill({ json: { ...job, ...deleted, output_deleted_attempt: job.attempt, error: null } });
  });
}

/** Exports in each state. */
export async function stubExports(page: Page): Promise<void> {
  const one = (status: string, rows: number, more: Partial<Schemas['ExportSummary']> = {}) => ({
    ...{ id: `exp_${status}`, kind: 'jobs', format: 'csv', filter: {}, status, created_by: 'user:mira@example.com' },
    ...{ created_at: new Date(Date.now() - 300_000).toISOString(), finished_at: null, error: null },
    ...{ expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString() },
    ...{ progress: { rows, bytes: rows * 412, reached: null }, ...more },
  });
  const items = [
    one('queued', 0, { kind: 'usage', filter: { project: 'handbook' } }),
    one('running', 48_000, { filter: { project: 'storefront', created_after: '2026-11-01T00:00:00Z' } }),
    one('done', 1_204, { kind: 'audit' }),
    one('failed', 12, { kind: 'messages', format: 'jsonl', error: 'five attempts got no further' }),
  ];
  await page.route('**/api/v1/exports', async (route) => await route.fulfill({ json: { items } }));
}

/** Automations in each state, and the runs of one. */
export async function stubAutomations(page: Page): Promise<void> {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const run = (minutes: number, more: Partial<Schemas['AutomationRun']> = {}): Schemas['AutomationRun'] => ({
    ...{ due_at: at(minutes), last_due_at: at(minutes), count: 1, trigger: 'schedule', outcome: 'fired', reason: null },
    event_id: null,
    ...{ evaluated_at: at(minutes), late_seconds: 21, job_id: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f' },
    ...{ job_status: 'SUCCEEDED', ...more },
  });
  const next_runs = [600, 2_040, 3_480, 4_920, 6_360].map((minutes) => ({
    ...{ due_at: at(minutes), starts_at: at(minutes) },
    local: `${at(minutes).slice(0, 16)}:00+01:00`,
  }));
  const one = (id: string, name: string, more: Partial<Schemas['Automation']> = {}): Schemas['Automation'] => ({
    ...{ id, name, project: 'storefront', job: { prompt: 'Update the dependencies.' }, owner: 'user:mira@example.com' },
    trigger: { schedule: { cron: '0 3 * * MON-FRI', every: null, timezone: 'Europe/Berlin' }, hook: null, event: null },
    ...{ overlap: 'skip', missed: 'latest', jitter: 0, pause_after_failures: 5, enabled: true, enabled_until: null },
    ...{ state: 'active', state_reason: null, next_runs, notes: [], last_run: run(-840), failures_in_row: 0 },
    ...{ due: null, last_success_at: at(-830), created_at: at(-90_000), updated_at: at(-9_000), version: 3, ...more },
  });
  const reason = 'Its last 5 jobs have failed. Enable it to continue.';
  const failed = run(-300, { job_status: 'FAILED' });
  const items = [
    one('nightly', 'Nightly update'),
    one('triage', 'Triage of new issues', {
      state: 'paused',
      state_reason: reason,
      last_run: failed,
      failures_in_row: 5,
      next_runs: [],
    }),
    one('digest', 'Weekly digest', { state: 'disabled', enabled: false, last_run: null, next_runs: [] }),
  ];
  const hook: NonNullable<Schemas['Automation']['trigger']['hook']> = {
    path: '/api/v1/hooks/issues',
    verify: { style: 'github', header: null, prefix: null, encoding: null },
    filter: [{ pointer: '/action', one_of: ['opened', 'reopened'] }],
    map: { title: '/issue/title', text: '/issue/body' },
    ...{ delivery_id: null, drafts: true, secret: null },
  };
  items.push(
    one('issues', 'Issues of the shop', {
      trigger: { schedule: null, hook, event: null },
      overlap: 'queue',
      next_runs: [],
    }),
  );
  const parameters = { package: 'react-router', notes: 'Since {{last_success_at}}.' };
  items.push(one('upgrade', 'Weekly upgrade', { job: { template: 'upgrade', parameters } }));
  const delivery = (minutes: number, more: Partial<Schemas['HookDelivery']>): Schemas['HookDelivery'] => ({
    ...{
      id: `dlv_${-minutes}`,
      received_at: at(minutes),
      kind: 'sent',
      resent_of: null,
      sender_id: '72d3162e-cc78-11e3',
    },
    ...{ event: 'issues', bytes: 8_112, body: '{"action":"opened","issue":{"title":"It fails"},"token":"•••"}' },
    ...{ outcome: 'fired', reason: null, job_id: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f', ...more },
  });
  const deliveries = [
    delivery(-1, { kind: 'test', event: null, outcome: 'accepted', job_id: null }),
    delivery(-30, {}),
    delivery(-45, { outcome: 'filtered', reason: '/action is "closed".', job_id: null }),
    delivery(-90, { kind: 'resent', outcome: 'skipped', reason: 'The automation was disabled.', job_id: null }),
  ];
  const refused = [{ code: 'signature', message: 'The signature or the secret is missing or wrong.', at: at(-400) }];
  await page.route('**/api/v1/automations/*/deliveries', async (route) => {
    await route.fulfill({ json: { items: deliveries, refused } });
  });
  const runs = [
    run(-60, { trigger: 'manual', job_status: 'RUNNING' }),
    run(-840, { late_seconds: 1_260 }),
    run(-900, {
      ...{ outcome: 'skipped', job_status: 'RUNNING' },
      reason: { code: 'still_running', message: 'An earlier job of the automation had not ended.' },
    }),
    run(-1_000, {
      ...{ outcome: 'failed', job_id: null, job_status: null },
      reason: { code: 'not_created', message: 'The job could not be created. There is no profile "deep".' },
    }),
    run(-2_280, {
      ...{ outcome: 'skipped', count: 4, job_id: null, job_status: null },
      reason: {
        code: 'missed',
        message: 'The instant was evaluated too late, and the automation does not make up for it.',
      },
    }),
  ];
  // The calendar of what comes, with one that is due every five minutes.
  const times = (every: number, count: number) =>
    Array.from({ length: 7 * (1_440 / every) }, (_, n) => ({ at: at(n * every + 30), count }));
  const due = [
    one('nightly', 'Nightly update', { due: times(1_440, 1) }),
    one('probe', 'Probe of the shop', { due: times(60, 12) }),
    ...Array.from({ length: 14 }, (_, n) => one(`report-${n}`, `Report of region ${n + 1}`, { due: times(1_440, 1) })),
  ];
  await page.route('**/api/v1/automations?*due_from=*', async (route) => {
    await route.fulfill({ json: { items: due, next_cursor: null } });
  });
  await page.route(
    /\/api\/v1\/automations\?(?!.*due_from)/,
    async (route) => await route.fulfill({ json: { items, next_cursor: null } }),
  );
  await page.route(/\/api\/v1\/automations\/[a-z]+$/, async (route) => {
    const id = new URL(route.request().url()).pathname.split('/').at(-1);
    await route.fulfill({ json: items.find((item) => item.id === id) });
  });
  await page.route('**/api/v1/automations/*/runs?*', async (route) => {
    await route.fulfill({ json: { items: runs, next_cursor: null } });
  });
}
