import type { Page } from 'playwright-core';
import type { components } from '../../../lib/client/api-types.ts';
import { serviceResponse } from './stubs.ts';

type Schemas = components['schemas'];

const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const LONG =
  'The suites of the checkout fail since the prices have a currency.\nShall I change the tests, or convert all prices to euros before they are compared?';

function questionOf(job: string, fields: Partial<Schemas['Question']>): Schemas['Question'] {
  return {
    ...{ id: `q_${job}`, job_id: job, state: 'open', question: LONG, options: [], default: null, attempt: 1 },
    ...{ asked_at: ago(HOUR_MS / 4), deadline: ago(-23 * HOUR_MS), answer: null, answered_by: null, answered_at: null },
    ...fields,
  };
}

/** Fills the inbox: a question with options and a default, and one without. */
export async function stubQuestions(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/jobs\?needs=answer/, async (route) => {
    const url = route.request().url();
    const all = await serviceResponse<Schemas['JobList']>({
      request: () => ({
        url: () => url.replace('needs=answer&', ''),
        allHeaders: route.request().allHeaders.bind(route.request()),
      }),
    } as typeof route);
    await route.fulfill({ json: { ...all, items: all.items.slice(0, 2), total: 2 } });
  });
  let isFirst = true;
  await page.route(/\/api\/v1\/jobs\/job_\w+\/questions$/, async (route) => {
    const [, job = ''] = /jobs\/(job_\w+)/.exec(route.request().url()) ?? [];
    const options = { options: ['Change the tests', 'Convert all prices to euros'], default: 'Change the tests' };
    await route.fulfill({ json: { items: [questionOf(job, isFirst ? options : {})] } });
    isFirst = false;
  });
}

/** Lets a job's agent ask, and gives it messages in every state. */
export async function stubTalk(page: Page): Promise<void> {
  await stubQuestions(page);
  await page.route(/\/api\/v1\/jobs\/job_\w+$/, async (route) => {
    const job = await serviceResponse<Schemas['Job']>(route);
    const question = { id: `q_${job.id}`, state: 'open', deadline: ago(-23 * HOUR_MS) };
    await route.fulfill({ json: { ...job, question } });
  });
  const message = (id: string, fields: object) => ({
    ...{ id, text: 'Leave the tests of the cart alone.', status: 'pending', reason: null, next_job_id: null },
    ...{
      created_by: 'user:ada@example.com',
      created_at: ago(HOUR_MS / 6),
      attempt: 1,
      delivered_at: null,
      only_now: false,
    },
    ...fields,
  });
  await page.route(/\/api\/v1\/jobs\/job_\w+\/messages$/, async (route) => {
    const lost = {
      status: 'not_delivered',
      reason: 'The job ended before its agent had the message',
      next_job_id: 'job_1',
    };
    const items = [
      message('m_3', {}),
      message('m_2', { status: 'delivered', delivered_at: ago(60_000) }),
      message('m_1', lost),
    ];
    await route.fulfill({ json: { items } });
  });
}

/** Ends a job as a failure whose session can be continued. */
export async function stubFailure(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/jobs\/job_\w+$/, async (route) => {
    const job = await serviceResponse<Schemas['Job']>(route);
    await route.fulfill({ json: { ...job, status: 'FAILED' } });
  });
}
