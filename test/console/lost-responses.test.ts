import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { amount, isLongRun } from '../vitest/amount.ts';
import { fileAppears } from '../worker-container/agents/run-agent.ts';
import { openAs, sharedBrowser, stay, visit } from './setup/browser.ts';
import { loseFirstResponse, serviceResponse } from './setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
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
  await stay(page);
  await service.api('POST', `/jobs/${id}/kill`);
});

const textOf = ({ text }: { text: string }) => text;

test('a new job whose response was lost is created once, also after a reload', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/jobs/new' });
  await page.getByLabel('Prompt', { exact: true }).fill('created once');
  await page.getByLabel('Project').fill('lost-job');
  await loseFirstResponse(page, '**/api/v1/jobs');
  await button(page, 'Save as draft').click();
  await page.getByText('It is unknown whether the job was created').waitFor();
  expect(await page.getByText('The job was not created').count()).toBe(0);
  await page.reload();
  await button(page, 'Save as draft').click();
  await page.waitForURL(/\/jobs\/job_/);
  expect(await jobsOf('lost-job')).toEqual(['created once']);

  // After the success, the same input is another job.
  await visit(page, '/jobs/new');
  await page.getByLabel('Prompt', { exact: true }).fill('created once');
  await page.getByLabel('Project').fill('lost-job');
  await button(page, 'Save as draft').click();
  await page.waitForURL(/\/jobs\/job_/);
  expect(await jobsOf('lost-job')).toEqual(['created once', 'created once']);
  await stay(page);
});

test.runIf(isLongRun)('a job that the service rejects is shown as not created', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/jobs/new' });
  await page.route('**/api/v1/jobs', async (route) => {
    await route.fulfill({ status: 429, json: { error: 'too_many_requests' } });
  });
  await page.getByLabel('Prompt', { exact: true }).fill('rejected');
  await button(page, 'Queue job').click();
  await page.getByText('The job was not created').waitFor();
  await page.getByText('The service received too many requests.').waitFor();
  await stay(page);
});

test.each([
  ['Fork', 1, 'Fork creates a new thread'],
  ...amount([], [['Continue', 2, 'Continue creates turn 3'] as const]),
] as const)(
  '%s creates one job although its response was lost and the page was reloaded',
  async (action, turn, meanwhile) => {
    const first = await createJob(service, { prompt: 'echo first', profile: 'shell', project: `lost-${action}` });
    await untilEnded(service, first);
    const page = await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${first}?tab=conversation` });
    const prompt = page.getByLabel('Continue', { exact: true }).and(page.locator('textarea'));
    await prompt.fill('echo second');
    await loseFirstResponse(page, '**/api/v1/jobs');
    await button(page, action).click();
    await page.getByText('It is unknown whether the job was created').waitFor();
    await page.reload();
    await page.getByText(meanwhile).waitFor();
    await button(page, action).click();
    await page.waitForURL((url) => url.pathname.startsWith('/jobs/job_') && !url.pathname.includes(first));
    const second = new URL(page.url()).pathname.split('/').at(-1);
    const from = action === 'Fork' ? { forked_from: first, thread_id: second } : { continues: first, thread_id: first };
    expect((await service.api('GET', `/jobs/${second}`)).json).toMatchObject({ prompt: 'echo second', turn, ...from });
    expect(await jobsOf(`lost-${action}`)).toEqual(['echo second', 'echo first']);
    await page.goBack();
    await page.getByText(meanwhile).waitFor();
    expect(await prompt.inputValue()).toBe('');
    if (action === 'Fork') {
      await visit(page, `/jobs/${second}?tab=details`);
      await page.locator(`#main a[href="/jobs/${first}"]`).getByText(first, { exact: true }).waitFor();
    }
    await stay(page);
  },
);

test.runIf(isLongRun)(
  'a job that is run again with another model is created once although its response was lost',
  async () => {
    const id = await createJob(service, { prompt: 'drill: say hello', project: 'lost-copy', draft: true });
    const before = async (opened: Page) =>
      await opened.route('**/api/v1/environment', async (route) => {
        const environment = await serviceResponse<{ models: string[] }>(route);
        await route.fulfill({ json: { ...environment, models: ['model-a', 'model-b'] } });
      });
    const page = await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${id}`, before });
    await loseFirstResponse(page, '**/api/v1/jobs');
    const runAgain = async () => {
      await button(page, 'Run again with another model').click();
      await page.getByRole('menuitem', { name: 'Run again with model-b' }).click();
    };
    await runAgain();
    await page.getByText('It is unknown whether the job was created').waitFor();
    await runAgain();
    await page.waitForURL((url) => url.pathname.startsWith('/jobs/job_') && !url.pathname.includes(id));
    expect(await jobsOf('lost-copy')).toHaveLength(2);
    await stay(page);
  },
);

test('a bulk action whose response was lost is counted as unknown, not as rejected', async () => {
  const id = await createJob(service, { prompt: 'lost bulk', project: 'lost-bulk', draft: true });
  await createJob(service, { prompt: 'answered bulk', project: 'lost-bulk', draft: true });
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/jobs?project=lost-bulk' });
  for (const name of ['lost bulk', 'answered bulk'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await loseFirstResponse(page, `**/jobs/${id}/cancel`);
  await button(page, 'Cancel jobs').click();
  await button(page, 'Cancel 2 jobs').click();
  await page.getByText('1 job accepted, 1 unknown').waitFor();
  await page.getByRole('dialog').getByText('The request may have taken effect.').waitFor();
  expect((await service.api('GET', `/jobs/${id}/status`)).json.status).toBe('CANCELLED');
  await stay(page);
});

/** The prompts of a project's jobs, newest first. */
async function jobsOf(project: string): Promise<string[]> {
  const { json } = await service.api('GET', `/jobs?project=${project}`);
  return json.items.map((job: { prompt_preview: string }) => job.prompt_preview);
}
