import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, PAGE_TIMEOUT_MS } from '../console/setup/browser.ts';
import { openTab, press, tabTo } from '../console/setup/keyboard.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

let service: OwnService;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService({ env: { PROMPTQ_ANSWER_WAIT_SECONDS: '1' } });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test('a conversation of three turns, with a question and its answer, by keyboard alone', async () => {
  const context = await browser.newContext({ baseURL: service.consoleUrl, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const ids: string[] = [];
  /** The job of the page that opens next, when it has reached a state. */
  const nextJob = async (state: string) => {
    await page.waitForURL(({ pathname }) => /^\/jobs\/job_/.test(pathname) && !ids.includes(pathname.slice(6)));
    const id = new URL(page.url()).pathname.slice(6);
    ids.push(id);
    await reached(id, state);
    return id;
  };
  const reached = async (id: string, state: string) =>
    await waitFor(
      async () => {
        const { status, state_reason: reason } = (await service.api('GET', `/jobs/${id}`)).json;
        return status === state || reason.code === state;
      },
      { timeoutMs: 90_000 },
    );
  const say = async (prompt: string) => {
    await openTab(page, /^Conversation/);
    await tabTo(page, page.getByLabel('Continue', { exact: true }).and(page.locator('textarea')));
    await page.keyboard.type(prompt);
    await page.keyboard.press('Control+Enter');
  };

  await page.goto('/auth/sign-in?return_to=%2Fjobs');
  await press(page, page.locator('button[name=role][value=operator]'));
  await page.locator('[data-job]').first().waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Prompt', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('remember the blue door');
  await page.keyboard.press('Control+Enter');
  const first = await nextJob('SUCCEEDED');

  await say('drill: ask Which colour?');
  const second = await nextJob('question');
  await page.getByRole('heading', { name: 'The agent asks' }).waitFor();
  await tabTo(page, page.getByLabel('Your answer'));
  await page.keyboard.type('as blue as the sea');
  await press(page, page.getByRole('button', { name: 'Answer', exact: true }));
  await page.getByRole('heading', { name: 'The agent asks' }).waitFor({ state: 'detached' });
  await reached(second, 'SUCCEEDED');

  await say('drill: recall');
  const third = await nextJob('SUCCEEDED');
  await openTab(page, 'Conversation (3)');
  const turns = page.getByRole('list', { name: 'Turns' }).locator('.turn');
  // The practice agent answers with the prompts of its session.
  await turns.nth(2).locator('.markdown').getByText('remember the blue door').first().waitFor();
  await turns.nth(2).locator('.markdown').getByText('as blue as the sea').first().waitFor();
  expect(await turns.count()).toBe(3);

  const { items } = (await service.api('GET', `/jobs?thread=${first}`)).json;
  const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json.turn;
  expect(items.map(({ id }: { id: string }) => id).toSorted()).toEqual([first, second, third].toSorted());
  expect([await read(first), await read(second), await read(third)]).toEqual([1, 2, 3]);
  await context.close();
});
