import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { isLongRun } from '../vitest/amount.ts';
import { leave, openAs, sharedBrowser } from './setup/browser.ts';
import { loseFirstResponse } from './setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
});
const open = async (path: string, role: 'operator' | 'admin' = 'admin') =>
  await openAs(browser, service.consoleUrl, role, { path });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
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

test('an action that the service rejects is shown as rejected', async () => {
  const id = await createJob(service, { prompt: 'a draft', draft: true });
  const page = await open(`/jobs/${id}`, 'operator');
  const json = { error: 'too_many_requests' };
  await page.route('**/submit', async (route) => await route.fulfill({ status: 429, json }));
  await button(page, 'Queue job').click();
  await page.getByText('Could not submit the job').waitFor();
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

test.runIf(isLongRun)('an answer that comes too late is shown as rejected, although its question is gone', async () => {
  const prompt = `drill: use ask_human ${JSON.stringify({ question: 'Which size?' })}`;
  const id = await createJob(service, { prompt });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.state_reason.code === 'question');
  const page = await open('/questions', 'operator');
  await page.getByLabel('Your answer').fill('small');
  await page.route('**/answers', async (route) => {
    await service.api('POST', `/jobs/${id}/cancel`);
    await route.fallback();
  });
  await button(page, 'Answer').click();
  await page.getByText('No open questions').waitFor();
  await page.getByText('The question was not answered').waitFor();
  await leave(page);
});

test.runIf(isLongRun)('an edit whose response was lost is shown as unknown and can be saved again', async () => {
  const id = await createJob(service, { prompt: 'before', draft: true });
  const page = await open(`/jobs/${id}/edit`, 'operator');
  await page.getByLabel('Prompt', { exact: true }).fill('after');
  await loseFirstResponse(page, `**/jobs/${id}/draft`);
  const save = async () => {
    await button(page, 'Review and save').click();
    await button(page, 'Save').click();
  };
  await save();
  await unknown(page, 'the changes were saved');
  expect((await service.api('GET', `/jobs/${id}`)).json.prompt).toBe('after');
  await save();
  await page.waitForURL((url) => url.pathname === `/jobs/${id}`);
  await leave(page);
});

test('a rule whose save got no response is compared with the stored one by the next review', async () => {
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

test('a token or binding whose response was lost is listed, and its secret is said to be lost', async () => {
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

test.runIf(isLongRun)('an import whose response was lost is not said to have changed nothing', async () => {
  const page = await open('/configuration');
  const rules = [{ id: 'imported', text: 'Be brief.' }];
  await page.getByLabel('Document').fill(JSON.stringify({ rules }));
  await button(page, 'Check').click();
  await page.getByText('Preview: nothing has changed yet').waitFor();
  await loseFirstResponse(page, /config\/import$/);
  await button(page, 'Apply').click();
  await unknown(page, 'the document was imported');
  expect(await page.getByText('Nothing was changed').count()).toBe(0);
  await button(page, 'Check').click();
  await page.getByText('The configuration already matches').waitFor();
  await leave(page);
});
