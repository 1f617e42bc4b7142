import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';
import { emptyLists } from '../setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;
let operator: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  operator = await openAs(browser, service.consoleUrl, 'operator');
});
afterAll(async () => await stay(operator));

test('four actions on the empty page make a nightly job', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/automations', before: emptyLists });
  await page.getByText('No automations yet').waitFor();
  await page.getByRole('link', { name: 'New automation' }).last().click();
  // The first field has the focus.
  await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('By a newcomer');
  await page.getByLabel('Prompt', { exact: true }).fill('Update the dependencies.');
  await page.getByRole('button', { name: 'Create automation' }).click();
  await page.getByRole('heading', { name: 'By a newcomer' }).waitFor();
  await page.getByText('Active').waitFor();
  expect(await page.getByRole('cell', { name: /^\w{3} \d{4}-\d\d-\d\d 03:00 / }).count()).toBe(5);
  await page.context().close();
});

test('an automation gets all its settings in the form, runs, and is edited, disabled and deleted', async () => {
  await visit(operator, '/automations/-/new');
  const field = (name: string) => operator.getByLabel(name, { exact: true });
  const choose = async (name: RegExp, option: string) => {
    await operator.getByRole('button', { name }).click();
    await operator.getByRole('option', { name: option }).click();
  };
  await field('Name').fill('Nightly by hand');
  await field('Prompt').fill('true');
  await choose(/^Profile/, 'shell');
  await choose(/^Schedule/, 'Another cron expression');
  await field('Cron expression').fill('61 * * * *');
  await operator
    .getByText('CronPattern', { exact: false })
    .or(operator.getByText(/received "61/))
    .first()
    .waitFor();
  await field('Cron expression').fill('15 4 * * MON-FRI');
  await operator.getByRole('button', { name: /^Time zone/ }).click();
  await field('Find a time zone').fill('tok');
  await operator.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await operator.getByRole('columnheader', { name: 'Asia/Tokyo' }).waitFor();
  await operator.getByRole('button', { name: 'Overlaps, missed runs, failures, end' }).click();
  await choose(/^If its last job/, 'Let the new job wait');
  await choose(/^Missed runs/, 'Skip them');
  await field('Pause after failures in a row').fill('1000');
  await field('Start within (seconds)').fill('60');
  await operator.getByLabel('Enabled until').fill('2031-05-01T12:00');
  await operator.getByRole('button', { name: 'Create automation' }).click();
  await operator.getByText('Enter at most 100').waitFor();
  await field('Pause after failures in a row').fill('2');
  await operator.getByRole('button', { name: 'Create automation' }).click();
  await operator.getByRole('heading', { name: 'Nightly by hand' }).waitFor();
  expect((await service.api('GET', '/automations/Nightly%20by%20hand')).json).toMatchObject({
    trigger: { schedule: { cron: '15 4 * * MON-FRI', timezone: 'Asia/Tokyo' } },
    job: { prompt: 'true', profile: 'shell' },
    ...{ overlap: 'queue', missed: 'skip', pause_after_failures: 2, jitter: 60 },
  });

  await operator.getByRole('button', { name: 'Run now: Nightly by hand' }).click();
  await operator.getByText('Run by hand').waitFor();
  await operator.getByText('Succeeded').first().waitFor();

  // From the automation to its jobs, and from a job back.
  await operator.getByRole('link', { name: 'Show jobs' }).click();
  await operator.getByRole('button', { name: 'Clear the filter Automation' }).waitFor();
  await operator.getByRole('link', { name: 'true' }).click();
  await operator.getByRole('heading', { name: 'true' }).waitFor();
  await operator.getByRole('link', { name: 'Nightly by hand' }).click();
  await operator.getByRole('link', { name: /^Open job of/ }).waitFor();

  await operator.getByRole('button', { name: 'Edit Nightly by hand' }).click();
  await choose(/^Schedule/, 'At an interval');
  await field('Interval').fill('6h');
  await operator.getByRole('button', { name: 'Save' }).click();
  await operator.getByText('Every 6h').waitFor();
  // What the form was not to change.
  expect((await service.api('GET', '/automations/Nightly%20by%20hand')).json).toMatchObject({
    ...{ overlap: 'queue', enabled_until: expect.stringMatching(/^2031-05-01/), job: { profile: 'shell' } },
  });

  await operator.getByRole('link', { name: 'Automations' }).click();
  const row = operator.getByRole('row').filter({ hasText: 'Nightly by hand' });
  await row.getByRole('button', { name: 'Disable Nightly by hand' }).click();
  await row.getByText('Disabled').waitFor();
  await row.getByRole('button', { name: 'Delete Nightly by hand' }).click();
  await operator.getByRole('button', { name: 'Delete automation' }).click();
  await row.waitFor({ state: 'detached' });
});

test('the calendar shows a week of what comes, and a count for what is due often', async () => {
  const made = { job: { prompt: 'true', profile: 'shell' }, enabled_until: '2040-01-01T00:00:00Z' };
  const [often, nightly] = ['Often in the week', 'Nightly in the week'];
  await service.api('POST', '/automations', { name: often, trigger: { schedule: { cron: '*/5 * * * *' } }, ...made });
  await service.api('POST', '/automations', { name: nightly, trigger: { schedule: { cron: '0 3 * * *' } }, ...made });
  await visit(operator, '/automations');
  await operator.getByRole('link', { name: 'Calendar' }).click();
  // Whole days, which are those of the next week.
  await operator.getByRole('link', { name: 'Next week' }).click();
  await operator.getByRole('link', { name: 'Week before' }).waitFor();
  const days = operator.locator('.calendar section');
  await days.nth(6).waitFor();
  for (const day of await days.all()) {
    for (const summary of await day.locator('summary').all()) await summary.click();
    await day.getByRole('listitem').filter({ hasText: often }).getByText('288 times').waitFor();
    await day.getByRole('listitem').filter({ hasText: nightly }).getByText('03:00').waitFor();
  }
  expect(await days.count()).toBe(7);
  await days.first().getByRole('link', { name: nightly }).click();
  await operator.getByRole('heading', { name: nightly }).waitFor();
  for (const name of [often, nightly]) await service.api('DELETE', `/automations/${encodeURIComponent(name)}`);
});

test('a hook shows its secret once, and its deliveries with their outcome, and sends one again', async () => {
  await visit(operator, '/automations/-/new');
  const field = (name: string) => operator.getByLabel(name, { exact: true });
  await field('Name').fill('Triage by hook');
  await operator.getByLabel('When another service posts to it (hook)').check();
  await operator.getByRole('button', { name: /^Sender/ }).click();
  await operator.getByRole('option', { name: 'HMAC in a header' }).click();
  await operator.getByRole('button', { name: 'Add', exact: true }).first().click();
  await operator.getByPlaceholder('opened, reopened').fill('opened, reopened');
  await field('Prompt').fill('Find the cause.');
  await operator.getByRole('button', { name: 'Create automation' }).click();
  // Both faults are at their fields.
  await operator.getByText('check verify').waitFor();
  await field('Header with the signature').fill('X-Signature');
  await operator.getByPlaceholder('/action').fill('/action');
  await operator.getByRole('button', { name: 'Create automation' }).click();
  const made = operator.getByRole('dialog', { name: 'The hook was created' });
  const secret = await made.getByTestId('secret').textContent();
  await made.getByText(/\/api\/v1\/hooks\/triage-by-hook-/).waitFor();
  await made.getByRole('button', { name: 'I have saved it' }).click();
  await operator.getByText('Nothing came yet').waitFor();

  const rows = operator.getByRole('table', { name: 'Deliveries' }).getByRole('row');
  const send = async (body: string) => {
    await operator.getByRole('button', { name: 'Send test delivery' }).click();
    const dialog = operator.getByRole('dialog', { name: 'Send test delivery?' });
    await dialog.getByLabel('Body').fill(body);
    await dialog.getByRole('button', { name: 'Send test delivery' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await send('{"action":"closed"}');
  await rows.getByText('Filtered out').waitFor();
  await send('{"action":"opened"}');
  await rows
    .filter({ hasText: 'Job created' })
    .getByRole('link', { name: /^Open job/ })
    .waitFor();
  await rows
    .filter({ hasText: 'Filtered out' })
    .getByRole('button', { name: /^Send again/ })
    .click();
  await rows.getByText('Sent again').waitFor();

  await operator.getByRole('button', { name: 'Replace secret' }).click();
  await operator.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click();
  const replaced = operator.getByRole('dialog', { name: 'The secret was replaced' });
  expect(await replaced.getByTestId('secret').textContent()).not.toBe(secret);
  await replaced.getByRole('button', { name: 'I have saved it' }).click();
  await service.api('DELETE', '/automations/Triage%20by%20hook');
});

test('the jobs of an automation are created from a template by filling in its form', async () => {
  const template = {
    prompt: 'echo {{package}} {{major}}',
    ...{ profile: 'codex', parameters: [{ name: 'package', type: 'string', required: true }] },
  };
  template.parameters.push({ name: 'major', type: 'number', required: true });
  expect((await service.api('PUT', '/templates/console-nightly', template)).status).toBe(201);
  await visit(operator, '/automations/-/new');
  const field = (name: string) => operator.getByLabel(name, { exact: true });
  await field('Name').fill('Nightly by template');
  await operator.getByRole('button', { name: /^Template/ }).click();
  await operator.getByRole('option', { name: 'console-nightly' }).click();
  await operator.getByLabel('package').fill('zod since {{last_success_at}}');
  await operator.getByRole('button', { name: 'Create automation' }).click();
  // The service names the value that is missing.
  await operator.getByText('check parameters.major').waitFor();
  await operator.getByLabel('major').fill('4');
  await operator.getByRole('button', { name: 'Create automation' }).click();
  await operator.getByRole('heading', { name: 'Nightly by template' }).waitFor();
  const stored = async () => (await service.api('GET', '/automations/Nightly%20by%20template')).json;
  expect((await stored()).job).toEqual({
    ...{ template: 'console-nightly', parameters: { package: 'zod since {{last_success_at}}', major: 4 } },
  });

  await operator.getByRole('button', { name: 'Edit Nightly by template' }).click();
  await operator.getByLabel('major').fill('5');
  await operator.getByRole('button', { name: 'Save' }).click();
  await operator.getByRole('link', { name: 'console-nightly' }).waitFor();
  expect((await stored()).job.parameters.major).toBe(5);
  await service.api('DELETE', '/automations/Nightly%20by%20template');
  await service.api('DELETE', '/templates/console-nightly');
});

test('an automation waits for events of other jobs, by type and project', async () => {
  await visit(operator, '/automations/-/new');
  await operator.getByLabel('Name', { exact: true }).fill('After a failure');
  await operator.getByLabel('When something happens to a job').check();
  await operator.getByRole('button', { name: /^Events/ }).click();
  await operator.getByRole('option', { name: 'A job fails' }).click();
  await operator.getByRole('option', { name: 'A job succeeds' }).click();
  await operator.keyboard.press('Escape');
  await operator.getByLabel('Only of the project').fill('shop');
  await operator.getByLabel('Prompt', { exact: true }).fill('Find out why.');
  await operator.getByRole('button', { name: 'Create automation' }).click();
  await operator.getByText('When a job fails: project shop').waitFor();
  const { json } = await service.api('GET', '/automations/After%20a%20failure');
  expect(json).toMatchObject({
    ...{ trigger: { event: { types: ['job.failed'], filter: { project: 'shop' } } }, overlap: 'queue' },
  });
  await service.api('DELETE', '/automations/After%20a%20failure');
});
