import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createJob, untilEnded } from '../../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { fileAppears } from '../../worker-container/agents/run-agent.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
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

describe('with two open questions', () => {
  let wood: string;
  let nails: string;

  beforeAll(async () => {
    const question = { question: 'Which wood?', options: ['oak', 'pine'], default: 'ash' };
    wood = await asking(question, 'Wood of the shed');
    nails = await asking({ question: 'Which nails?' }, 'Nails of the shed');
  });

  test("unsent text and a dialog of one job don't appear on the page of another", async () => {
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
    expect(await page.getByLabel('Your answer').count()).toBe(0);
    await page.getByText('Another answer', { exact: true }).click();
    expect(await page.getByLabel('Your answer').inputValue()).toBe('');
    await toNails();
    await page.getByRole('button', { name: 'Cancel job', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await asked('Which wood?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await stay(page);
  });

  test('a viewer sees a question without controls to answer it', async () => {
    const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/questions' });
    await page.getByText('Which wood?').waitFor();
    expect(await answer(page).count()).toBe(0);
    await stay(page);
  });

  test('a question is answered on the page of its job by keyboard', async () => {
    const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/jobs' });
    await page.getByText('Question to answer').first().waitFor();
    await visit(page, `/jobs/${nails}`);
    await page.getByRole('heading', { name: 'The agent asks' }).waitFor();
    await page.getByLabel('Your answer').focus();
    await page.keyboard.type('Shed of sheds');
    await page.reload();
    await expect.poll(async () => await page.getByLabel('Your answer').inputValue()).toBe('Shed of sheds');
    await page.getByLabel('Your answer').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The agent asks' }).waitFor({ state: 'detached' });
    expect(await answerOf(nails)).toBe('Shed of sheds');
    const shown = page.getByRole('list', { name: 'Events' }).locator('.is-question');
    await shown.filter({ hasText: /Which nails\?.* answered .*Shed of sheds/s }).waitFor();
    await stay(page);
  });

  test('the last question is answered in the inbox with two clicks', async () => {
    await answerOf(nails);
    const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/questions' });
    await page.getByText('Which wood?').waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('img', { name: '1 open' }).waitFor();
    await page.getByRole('link', { name: 'Wood of the shed' }).waitFor();
    await page.getByText('the job continues with: ash').waitFor();
    await page.getByText('pine', { exact: true }).click();
    await answer(page).click();
    await page.getByText('No open questions').waitFor();
    await page.getByRole('img', { name: '1 open' }).waitFor({ state: 'detached' });
    expect(await answerOf(wood)).toBe('pine');
    await stay(page);
  });
});

test("a message is sent by keyboard to a running agent, and is rejected and kept after the job's end", async () => {
  const folder = join(service.home, 'workspaces/local_project/messages');
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done\ndrill: wait 0';
  const id = await createJob(service, { prompt, cwd: 'messages' });
  await fileAppears(join(folder, 'up'));
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${id}` });
  const box = page.getByRole('textbox', { name: 'Message to the agent' });
  await box.focus();
  await page.keyboard.type('Also greet the moon');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(async () => await box.inputValue()).toBe('');
  await page.getByText('Also greet the moon').waitFor();
  await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}/logs?stream=stdout`);
    return json.stdout.includes('steer:');
  });
  await box.fill('Too late');
  await page.reload();
  await expect.poll(async () => await box.inputValue()).toBe('Too late');
  await writeFile(join(folder, 'go'), '');
  await page.getByText('Delivered', { exact: true }).waitFor();

  await untilEnded(service, id);
  expect((await service.api('GET', `/jobs/${id}/result`)).json.final_message).toContain('Also greet the moon');
  await page.getByText('The job takes no more messages.').waitFor();
  expect(await box.inputValue()).toBe('Too late');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('message: ').waitFor();
  const { items } = (await service.api('GET', `/jobs/${id}/messages`)).json;
  expect(items.map(({ text }: { text: string }) => text)).toEqual(['Also greet the moon']);
  await box.fill('');
  await box.waitFor({ state: 'detached' });
  expect(await page.getByText('Also greet the moon').first().isVisible()).toBe(true);

  const rejection = { status: 403, json: { error: 'forbidden' } };
  await page.route('**/messages', async (route) => await route.fulfill(rejection));
  await page.reload();
  await page.getByText('The messages to the agent could not be loaded').waitFor();
  expect(await box.count()).toBe(0);
  await page.unroute('**/messages');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.job-message').getByText('Also greet the moon').waitFor();
  await stay(page);
});
