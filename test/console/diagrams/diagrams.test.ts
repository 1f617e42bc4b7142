import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { axeViolations, loadAxe } from '../scenes/axe.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService(), sharedBrowser()]);
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const drawn = (page: Page, title: string) => page.frameLocator(`iframe[title="${title}"]`).locator('svg');
const LOOKS = [
  { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

test('a diagram that a job answers is drawn, kept with one click, opened, and a file of the next job', async () => {
  // The practice agent answers with the beginning of its prompt.
  const diagram = '---\ntitle: Order flow\n---\nflowchart LR\n  Order --> Invoice';
  const id = await createJob(service, { prompt: `\`\`\`mermaid\n${diagram}\n\`\`\``, project: 'kept' });
  await untilEnded(service, id);
  await service.api('PUT', '/diagrams/order-flow?project=kept', { text: 'pie\n "a": 1' });
  for (const [round, context] of LOOKS.entries()) {
    const page = await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${id}?tab=result`, context });
    expect(await page.locator('iframe').count()).toBe(0);
    await button(page, 'Draw').click();
    await drawn(page, 'Diagram of the message').getByText('Invoice').waitFor();
    await button(page, 'Keep as diagram').click();
    // A diagram of that name is there already, and stays.
    await page.getByRole('link', { name: `order-flow-${round + 2}` }).click();
    const svg = drawn(page, `Diagram order-flow-${round + 2}`);
    await svg.getByText('Invoice').waitFor();
    expect((await svg.boundingBox())?.width).toBeLessThan(context.viewport.width);
    const scheme = 'getComputedStyle(document.documentElement).colorScheme';
    expect(await page.frames()[1]?.evaluate(scheme)).toBe(context.colorScheme);
    await loadAxe(page);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      context.viewport.width,
    );
    await page.context().close();
  }
  const { json: kept } = await service.api('GET', '/diagrams/order-flow-2?project=kept');
  expect(kept).toMatchObject({ text: diagram, source_job: id });
  const prompt = 'cat "$PROMPTQ_CONTEXT/diagrams/order-flow-2.mmd"';
  const next = await createJob(service, { prompt, profile: 'shell', project: 'kept' });
  await untilEnded(service, next);
  expect((await service.api('GET', `/jobs/${next}/result`)).json.stdout).toBe(diagram);
});

test('a diagram is written by hand, its fault is shown with its line, and it is corrected and deleted', async () => {
  await createJob(service, { prompt: 'x', draft: true, project: 'by hand' });
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/diagrams?project=by%20hand' });
  await page.getByText('No diagrams yet').waitFor();
  await button(page, 'New diagram').first().click();
  await page.getByLabel('Name').fill('Not a name');
  await button(page, 'Create').click();
  await page.getByText('expected 1 to 64 lower-case letters').waitFor();
  await page.getByLabel('Name').fill('steps');
  await page.getByRole('textbox', { name: 'Text' }).fill('%% steps\nflowchart LR\n  one --> two\n  two -->');
  await page.getByRole('textbox', { name: 'Text' }).press('Control+Enter');
  await page.getByText("Line 4 can't be drawn").waitFor();
  expect(await page.locator('mark').allTextContents()).toEqual(['  two -->']);
  await button(page, 'Edit').click();
  await page.getByRole('textbox', { name: 'Text' }).fill('flowchart LR\n  one --> two');
  await button(page, 'Save').click();
  await drawn(page, 'Diagram steps').getByText('two').waitFor();
  await button(page, 'Full size').click();
  await drawn(page, 'Diagram steps').getByText('two').waitFor();
  await button(page, 'Delete').click();
  await button(page, 'Delete diagram').click();
  await page.getByText('No diagrams yet').waitFor();
  await stay(page);
});

test('a text that mermaid does not draw for its length is shown as it is, without a frame', async () => {
  await service.api('PUT', '/diagrams/long?project=long-text', { text: `pie\n%% ${'x'.repeat(50_000)}` });
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/diagrams?project=long-text&name=long' });
  await page.getByText('The diagram is too long to be drawn').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  // A viewer changes nothing.
  expect(await page.getByRole('button', { name: /^(Edit|Delete)$/ }).count()).toBe(0);
  await visit(page, '/diagrams?project=long-text');
  await page.getByRole('link', { name: 'long', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'New diagram' }).count()).toBe(0);
  await stay(page);
});

test('a drawing that takes too long is replaced by the text', async () => {
  await service.api('PUT', '/diagrams/slow?project=slow', { text: 'flowchart LR\n  never --> drawn' });
  const page = await openAs(browser, service.consoleUrl, 'viewer', {
    path: '/diagrams?project=slow&name=slow',
    session: 'own',
    before: async (opened) => {
      await opened.clock.install();
      const body = "parent.postMessage({ kind: 'ready' }, '*')";
      await opened.route('**/assets/draw-*.js', async (route) => await route.fulfill({ body }));
    },
  });
  await page.locator('iframe').waitFor({ state: 'attached' });
  const late = page.getByText('The diagram could not be drawn in time');
  await waitFor(async () => {
    await page.clock.fastForward(5_000);
    return (await late.count()) === 1;
  });
  await page.getByText('never --> drawn').first().waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await page.context().close();
});
