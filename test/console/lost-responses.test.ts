import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../api/job-client.ts';
import { type ServiceUnderTest, startService } from '../local-service.ts';
import { fileAppears } from '../worker-container/agents/run-agent.ts';
import { launchBrowser, openAs } from './setup/browser.ts';
import { loseFirstResponse } from './setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a message whose response was lost is sent once, and a changed text is another message', async () => {
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done';
  const id = await createJob(service, { prompt, cwd: 'lost-message' });
  await fileAppears(join(service.home, 'workspaces/local_project/lost-message/up'));
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${id}` });
  const box = page.getByRole('textbox', { name: 'Message to the agent' });
  const send = async (text: string) => {
    await box.fill(text);
    await button(page, 'Send').click();
  };
  const sent = async () => (await service.api('GET', `/jobs/${id}/messages`)).json.items.map(textOf);
  await loseFirstResponse(page, '**/messages');
  await send('Delete the cache');
  await page.getByText('It is unknown whether the message was sent').waitFor();
  await send('Do NOT delete the cache');
  await expect.poll(async () => await box.inputValue()).toBe('');
  expect(await sent()).toEqual(['Delete the cache', 'Do NOT delete the cache']);

  await page.unrouteAll();
  await loseFirstResponse(page, '**/messages');
  await send('Keep the log');
  await page.getByText('It is unknown whether the message was sent').waitFor();
  await box.fill('Keep the logs');
  await send('Keep the log');
  await expect.poll(async () => await box.inputValue()).toBe('');
  expect((await sent()).slice(2)).toEqual(['Keep the log']);
  await page.context().close();
  await service.api('POST', `/jobs/${id}/kill`);
});

const textOf = ({ text }: { text: string }) => text;
