import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../../api/job-client.ts';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { fileAppears } from '../../worker-container/agents/run-agent.ts';
import { axeViolations, loadAxe } from '../scenes/axe.ts';
import { launchBrowser, openAs } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
  page = await openAs(browser, service.consoleUrl, 'operator', { context: { reducedMotion: 'reduce' } });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test('a message is sent to a running agent by keyboard, and shown until it was delivered', async () => {
  const folder = join(service.home, 'workspaces/local_project/messages');
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done\ndrill: wait 0';
  const id = await createJob(service, { prompt, cwd: 'messages' });
  await fileAppears(join(folder, 'up'));
  await page.goto(`${service.consoleUrl}/jobs/${id}`);
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
  await writeFile(join(folder, 'go'), '');
  await page.getByText('Delivered', { exact: true }).waitFor();
  await loadAxe(page);
  expect(await axeViolations(page)).toEqual([]);

  await untilEnded(service, id);
  expect((await service.api('GET', `/jobs/${id}/result`)).json.final_message).toContain('Also greet the moon');
  await box.waitFor({ state: 'detached' });
  expect(await page.getByText('Also greet the moon').first().isVisible()).toBe(true);

  const rejection = { status: 403, json: { error: 'forbidden' } };
  await page.route('**/messages', async (route) => await route.fulfill(rejection));
  await page.reload();
  await page.getByText('The messages to the agent could not be loaded').waitFor();
  await page.unroute('**/messages');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.job-message').getByText('Also greet the moon').waitFor();
});

test('unsent text stays through a reload and when the job ends, and its rejection is shown', async () => {
  const folder = join(service.home, 'workspaces/local_project/unsent');
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done';
  const id = await createJob(service, { prompt, cwd: 'unsent' });
  await fileAppears(join(folder, 'up'));
  await page.goto(`${service.consoleUrl}/jobs/${id}`);
  const box = page.getByRole('textbox', { name: 'Message to the agent' });
  await box.fill('Too late');
  await page.reload();
  await expect.poll(async () => await box.inputValue()).toBe('Too late');
  await service.api('POST', `/jobs/${id}/kill`);
  await page.getByText('The job takes no more messages.').waitFor();
  expect(await box.inputValue()).toBe('Too late');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('message: ').waitFor();
  expect((await service.api('GET', `/jobs/${id}/messages`)).json.items).toEqual([]);
  await box.fill('');
  await box.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('tab', { name: 'Details' }).waitFor();
  expect(await box.count()).toBe(0);
});

test('a shell job has no box', async () => {
  const id = await createJob(service, { prompt: 'sleep 600', profile: 'shell' });
  await page.goto(`${service.consoleUrl}/jobs/${id}`);
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Message to the agent' }).count()).toBe(0);
  await service.api('POST', `/jobs/${id}/kill`);
});
