import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { amount } from '../vitest/amount.ts';
import { fileAppears } from '../worker-container/agents/run-agent.ts';
import { leave, openAs, sharedBrowser, stay, visit } from './setup/browser.ts';
import { loseFirstResponse } from './setup/stubs.ts';

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

const open = async (path: string, role: 'operator' | 'admin' = 'admin') =>
  await openAs(browser, service.consoleUrl, role, { path });
const unknown = async (page: Page, what: string) =>
  await page.getByText(`It is unknown whether ${what}`, { exact: true }).waitFor();

test('an action whose response was lost is shown as unknown, with the state of the job', async () => {
  const id = await createJob(service, { prompt: 'exit 1', profile: 'shell' });
  await untilEnded(service, id);
  const page = await open(`/jobs/${id}`, 'operator');
  await loseFirstResponse(page, `**/jobs/${id}/retry`);
  await button(page, 'Retry').click();
  await unknown(page, 'the job was retried');
  await page.getByText('Check its state before you repeat the action.').waitFor();
  await page.getByText('Attempt 2', { exact: true }).first().waitFor();
  expect(await page.getByText('Could not').count()).toBe(0);

  const draft = await createJob(service, { prompt: 'a draft', draft: true });
  await page.goto(`/jobs/${draft}`);
  await loseFirstResponse(page, `**/jobs/${draft}/cancel`, true);
  await button(page, 'Cancel job').click();
  await button(page, 'Cancel this job').click();
  await unknown(page, 'the job was cancelled');
  await page.getByText('The service returned 504').waitFor();
  await button(page, 'Cancel job').waitFor({ state: 'detached' });
  expect(await page.getByText('Could not').count()).toBe(0);
  await leave(page);
});

test('an answer whose response was lost is shown as unknown, and the question is read again', async () => {
  const prompt = `drill: use ask_human ${JSON.stringify({ question: 'Which color?' })}`;
  const id = await createJob(service, { prompt });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.state_reason.code === 'question');
  const page = await open('/questions', 'operator');
  await page.getByLabel('Your answer').fill('blue');
  await page.route('**/answers', async (route) => await route.fulfill({ status: 502, body: 'Bad Gateway' }));
  await button(page, 'Answer').click();
  await unknown(page, 'the question was answered');
  await page.getByText('Which color?', { exact: true }).waitFor();
  expect(await page.getByLabel('Your answer').inputValue()).toBe('blue');
  await page.unrouteAll();

  await page.getByRole('button', { name: 'Dismiss' }).click();
  await loseFirstResponse(page, '**/answers');
  await button(page, 'Answer').click();
  await page.getByText('No open questions').waitFor();
  await unknown(page, 'the question was answered');
  expect((await service.api('GET', `/jobs/${id}/questions`)).json.items[0].answer).toBe('blue');
  await leave(page);
});

test('the next review of a rule compares it with the stored one if the save got no response', async () => {
  await service.api('POST', '/config/import', { rules: [{ id: 'lost-rule', text: 'before' }] });
  const page = await open('/rules/lost-rule/edit');
  await page.getByLabel('Text', { exact: true }).fill('after');
  await button(page, 'Review').click();
  await loseFirstResponse(page, /config\/import$/);
  await button(page, 'Save rule').click();
  await unknown(page, 'the rule was saved');
  await button(page, 'Review').click();
  await page.getByText('The rule is already stored with these values.').waitFor();
  expect(await page.getByText('Changed after you opened it').count()).toBe(0);

  await page.goto('/rules');
  await loseFirstResponse(page, '**/api/v1/rules/lost-rule');
  await button(page, 'Delete lost-rule').click();
  await button(page, 'Delete rule').click();
  await unknown(page, 'the rule was deleted');
  await page.getByText('lost-rule', { exact: true }).waitFor({ state: 'detached' });
  await leave(page);
});

test('a token or binding is listed after a lost response, with a note that its secret is lost', async () => {
  const page = await open('/api-tokens');
  await button(page, 'Create token').first().click();
  await page.getByLabel('Name').fill('lost-token');
  await loseFirstResponse(page, '**/api/v1/tokens');
  await button(page, 'Create').click();
  await unknown(page, 'the token was created');
  await page.getByText("Its value can't be shown again.").waitFor();
  await page.getByRole('rowheader', { name: 'lost-token' }).waitFor();

  await createJob(service, { project: 'lost-binding', prompt: 'true', draft: true });
  await page.goto('/bindings');
  await button(page, 'Create binding').first().click();
  await page.getByLabel('Project').fill('lost-binding');
  await page.getByLabel('URL').fill('https://ci.example.com/hook');
  await loseFirstResponse(page, '**/api/v1/deploy-bindings');
  await button(page, 'Create').click();
  await unknown(page, 'the binding was saved');
  await page.getByText('edit the binding and generate a new one').waitFor();
  await page.getByRole('row', { name: 'lost-binding' }).waitFor();
  await leave(page);
});
