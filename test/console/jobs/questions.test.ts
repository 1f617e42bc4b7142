import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { checkScene } from '../scenes/check-scene.ts';
import { launchBrowser, leave, openAs } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService({ env: { PROMPTQ_ANSWER_WAIT_SECONDS: '2' } });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;

/** A job that waits for the answer to a question. */
async function asking(question: object, title: string): Promise<string> {
  const prompt = `drill: use ask_human ${JSON.stringify(question)}`;
  const { id } = (await service.api('POST', '/jobs', { prompt, title })).json;
  await waitFor(async () => (await read(id)).state_reason.code === 'question');
  return id;
}

async function answerOf(id: string): Promise<string> {
  await waitFor(async () => (await read(id)).question.state === 'answered');
  return (await service.api('GET', `/jobs/${id}/questions`)).json.items[0].answer;
}

const answer = (page: Page) => page.getByRole('button', { name: 'Answer', exact: true });

test('a question is answered in the inbox with two clicks, and on the page of its job by keyboard', async () => {
  const byOption = await asking(
    { question: 'Which color?', options: ['red', 'blue'], default: 'gray' },
    'Paint the shed',
  );
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/questions' });
  await page.getByText('Which color?').waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('img', { name: '1 open' }).waitFor();
  await page.getByRole('link', { name: 'Paint the shed' }).waitFor();
  await page.getByText('the job continues with: gray').waitFor();
  expect(await checkScene(page, 'usual')).toEqual([]);
  await page.getByText('blue', { exact: true }).click();
  await answer(page).click();
  await page.getByText('No open questions').waitFor();
  await page.getByRole('img', { name: '1 open' }).waitFor({ state: 'detached' });
  expect(await answerOf(byOption)).toBe('blue');

  const byText = await asking({ question: 'Which name?' }, 'Name the shed');
  await page.goto('/jobs');
  await page.getByText('Question to answer').first().waitFor();
  await page.goto(`/jobs/${byText}`);
  await page.getByRole('heading', { name: 'The agent asks' }).waitFor();
  await page.getByLabel('Your answer').focus();
  await page.keyboard.type('Shed of sheds');
  await page.reload();
  await expect.poll(async () => await page.getByLabel('Your answer').inputValue()).toBe('Shed of sheds');
  await page.getByLabel('Your answer').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The agent asks' }).waitFor({ state: 'detached' });
  expect(await answerOf(byText)).toBe('Shed of sheds');
  await page.context().close();
});

test('what is typed or asked on the page of one job is not taken to another', async () => {
  const wood = await asking({ question: 'Which wood?' }, 'Wood of the shed');
  const nails = await asking({ question: 'Which nails?' }, 'Nails of the shed');
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${wood}` });
  const asked = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  await asked('Which wood?');
  const toNails = async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('nails of the shed');
    await palette.getByRole('option', { name: /^Nails of the shed/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/jobs/${nails}*`);
    await asked('Which nails?');
  };
  await toNails();
  await page.getByLabel('Your answer').fill('long ones');
  await page.goBack();
  await asked('Which wood?');
  expect(await page.getByLabel('Your answer').inputValue()).toBe('');
  await toNails();
  await page.getByRole('button', { name: 'Cancel job', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await asked('Which wood?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await leave(page);
});

test('a viewer reads a question and has nothing to answer it with', async () => {
  await asking({ question: 'Which size?' }, 'Measure the shed');
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/questions' });
  await page.getByText('Which size?').waitFor();
  expect(await answer(page).count()).toBe(0);
  await leave(page);
});

test('the inbox shows further questions on request', async () => {
  await asking({ question: 'Which height?' }, 'Measure the roof');
  await asking({ question: 'Which width?' }, 'Measure the door');
  const before = async (opened: Page) =>
    await opened.route(/\/api\/v1\/jobs\?.*needs=answer/, async (route) => {
      await route.continue({ url: route.request().url().replace('limit=50', 'limit=1') });
    });
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/questions', before });
  await answer(page).first().waitFor();
  expect(await page.getByText('Which width?').count()).toBe(0);
  const showMore = "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Show more')?.click()";
  await expect
    .poll(async () => {
      await page.evaluate(showMore);
      return await page.getByText('Which width?').count();
    })
    .toBe(1);
  await page.getByText('Which height?').waitFor();
  await leave(page);
});

test('questions that could not be read again are marked, and an unreadable one is reported', async () => {
  const id = await asking({ question: 'Which roof?' }, 'Roof the shed');
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/questions' });
  await page.getByText('Which roof?').waitFor();
  await page.context().setOffline(true);
  await page.getByText('This page is out of date').waitFor();
  await page.getByText('Which roof?').waitFor();
  await page.context().setOffline(false);
  await page.getByText('This page is out of date').waitFor({ state: 'detached' });
  const answer = { status: 403, json: { error: 'forbidden' } };
  await page.route(`**/jobs/${id}/questions`, async (route) => await route.fulfill(answer));
  await page.goto(`/jobs/${id}`);
  await page.getByText('The question could not be loaded').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Try again' }).click();
  // The log may show the question too, within the agent's call.
  await page.getByText('Which roof?', { exact: true }).waitFor();
  await page.context().close();
});
