import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../api/job-client.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { amount } from '../../vitest/amount.ts';
import { launchBrowser, openAs, visit } from '../setup/browser.ts';
import { CODEX, type CodexEvent, createScriptedCodex, type ScriptedCodex } from '../setup/scripted-codex.ts';

let service: OwnService;
let browser: Browser;
let codex: ScriptedCodex;
/** Signed in as operator. Each test opens its own address in it. */
let page: Page;
/** An agent's job that has ended, shared by several tests. */
let ended: string;

const ANSWER = [
  '# What I changed',
  'The **rounding** is right now, see [the rule](https://example.com/rounding) and [this](javascript:alert(1)).',
  '![a picture](https://example.com/picture.png) <script>alert(2)</script> <img src=x onerror=alert(3)>',
  '| file | lines |\n|---|---|\n| cart.ts | 3 |',
  '```ts\nconst total = Math.round(sum * 100) / 100; // cents\n```',
  '- [x] tested',
].join('\n\n');

beforeAll(async () => {
  browser = await launchBrowser();
  codex = await createScriptedCodex();
  service = await startService({ env: { PROMPTQ_CODEX_BIN: codex.path } });
  await service.api('POST', '/config/import', { rules: [{ id: 'small', text: '# Keep changes small.' }] });
  page = await openAs(browser, service.consoleUrl, 'operator');
  ended = await runAgent(
    CODEX.reasoning('## **Finding** why `sum_up_all` is 2*3*4\n\nThe sum is not rounded.'),
    CODEX.message('I run the tests first.'),
    CODEX.command('npm test', '\u001b[32mok\u001b[0m 12 passed\n'),
    CODEX.command('npm run lint', 'cart.ts: unused variable\n', 2),
    CODEX.files('src/cart.ts', 'src/total.ts'),
    CODEX.message(ANSWER),
    CODEX.usage,
  );
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await codex?.close();
});

const create = async (fields: Record<string, unknown>) => await createJob(service, fields);

async function hasEnded(id: string): Promise<void> {
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/status?wait=20`)).json.terminal);
}

/** Runs a job whose agent prints these events. */
async function runAgent(...events: readonly CodexEvent[]): Promise<string> {
  const prompt = `# Mend the rounding\n${await codex.prints(...events)}`;
  const id = await create({ prompt, rule_ids: ['small'] });
  await hasEnded(id);
  return id;
}

const events = () => page.getByRole('list', { name: 'Events' });
const event = (text: string | RegExp) => events().locator('[data-event]').filter({ hasText: text });
const toggle = (name: RegExp) => page.getByRole('button', { name });
const answer = () => page.getByRole('region', { name: 'Answer' });

test("an agent's job opens on its timeline, with its answer rendered as safe Markdown", async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`/jobs/${ended}`);
  await page.waitForURL(/[?&]tab=timeline/);
  const shown = answer();
  await shown.locator('strong', { hasText: 'rounding' }).waitFor();
  await shown.getByRole('cell', { name: 'cart.ts' }).waitFor();
  await shown.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
  const links = await shown
    .locator('.markdown a')
    .evaluateAll((all) => all.map((link) => `${link.getAttribute('href')} ${link.getAttribute('rel')}`));
  expect(links).toEqual([
    'https://example.com/rounding noopener noreferrer nofollow',
    'https://example.com/picture.png noopener noreferrer nofollow',
  ]);
  expect(await shown.locator('.markdown :is(img, script, h1, h2, input)').count()).toBe(0);
  await shown.getByText('<script>alert(2)</script>').waitFor();
  expect(asked.filter((url) => !url.startsWith(service.consoleUrl))).toEqual([]);
  await page.getByText('2,400 input tokens (2,000 cached)').first().waitFor();
  page.removeAllListeners('request');
});

test('a message that is nested too deeply for Markdown is shown as text, on the timeline and as the result', async () => {
  const deep = await runAgent(CODEX.message(`${'> '.repeat(12_000)}the bottom`), CODEX.usage);
  for (const tab of ['timeline', 'result']) {
    await page.goto(`/jobs/${deep}?tab=${tab}`);
    await page.locator('.markdown-plain', { hasText: 'the bottom' }).first().waitFor();
    expect(await page.getByText('This part of the page failed').count()).toBe(0);
  }
});

test('the timeline shows the prompt with its rules, and tool calls collapsed to command and exit code', async () => {
  await visit(page, `/jobs/${ended}`);
  await event('# Mend the rounding').waitFor();
  await page.getByRole('button', { name: 'Rules: small' }).click();
  await event('# Keep changes small.').waitFor();
  const passed = event('npm test').getByRole('button', { name: 'npm test' });
  await event('npm test').getByText('exit 0').waitFor();
  expect(await passed.getAttribute('aria-expanded')).toBe('false');
  await passed.click();
  await event('npm test').getByText('ok 12 passed').waitFor();
  // Failed calls are expanded.
  await event('npm run lint').getByText('cart.ts: unused variable').waitFor();
  await event('src/total.ts').waitFor();
  await event('Finding why sum_up_all is 2*3*4').waitFor();
  await event(/^#\+.*Succeeded/).waitFor();
});

test('the timeline is filtered by kinds of events and by words', async () => {
  await visit(page, `/jobs/${ended}`);
  await event('npm test').waitFor();
  await toggle(/^Errors \(1\)/).click();
  await event('npm test').waitFor({ state: 'detached' });
  expect(await events().locator('[data-event]').count()).toBe(1);
  await toggle(/^Messages \(2\)/).click();
  await event('I run the tests first.').waitFor();
  await page.getByRole('searchbox', { name: 'Search the timeline' }).fill('UNUSED variable');
  await event('I run the tests first.').waitFor({ state: 'detached' });
  await event('npm run lint').waitFor();
  await page.getByRole('searchbox', { name: 'Search the timeline' }).fill('nowhere');
  await page.getByText('No matching events', { exact: true }).waitFor();
});

test('keys move between events, to the next error, and expand an event', async () => {
  await visit(page, `/jobs/${ended}`);
  await event('npm test').waitFor();
  await page.keyboard.press('e');
  const focused = page.locator('[data-event]:focus');
  await focused.filter({ hasText: 'npm run lint' }).waitFor();
  await page.keyboard.press('k');
  await focused.filter({ hasText: 'npm test' }).waitFor();
  await page.keyboard.press('o');
  await focused.getByText('ok 12 passed').waitFor();
  await page.keyboard.press('j');
  await focused.filter({ hasText: 'npm run lint' }).waitFor();
});

test('a running job is followed without moving the reader, with the arrival times of its events', async () => {
  const prompt = [
    codex.waitsFor('start'),
    await codex.prints(...Array.from({ length: 40 }, (_, at) => CODEX.message(`Step ${at + 1} of the work.`))),
    codex.waitsFor('more'),
    await codex.prints(CODEX.command('npm test', 'all passed\n')),
    codex.waitsFor('end'),
    await codex.prints(CODEX.message('It is **done**.'), CODEX.usage),
  ].join('\n');
  const id = await create({ prompt });
  await visit(page, `/jobs/${id}`);
  await page.waitForURL(/tab=timeline/);
  await event('Prompt').waitFor();
  await codex.go('start');
  await event('Step 40 of the work.').waitFor();
  await codex.go('more');
  await event('npm test').waitFor();
  await event('npm test').getByText(/^\+\d/).waitFor();
  // A reader further up keeps the scroll position.
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, -20_000);
  await expect.poll(() => page.getByRole('checkbox', { name: 'Follow' }).isChecked()).toBe(false);
  await event('Prompt').waitFor();
  await page.evaluate('window.scrollTo(0, 700)');
  const read = event('Step 20 of the work.');
  await read.waitFor();
  const place = async () => Math.round((await read.boundingBox())?.y ?? 0);
  const before = await place();
  await codex.go('end');
  await answer().locator('strong', { hasText: 'done' }).waitFor({ state: 'attached' });
  await expect.poll(async () => Math.abs((await place()) - before)).toBeLessThanOrEqual(2);
});

test('many events render few rows, and the last one can be reached', async () => {
  const count = amount(300, 5_000);
  const many = Array.from({ length: count }, (_, at) => CODEX.command(`echo ${at + 1}`, `${at + 1}\n`));
  const id = await runAgent(...many, CODEX.message('That was all.'), CODEX.usage);
  await visit(page, `/jobs/${id}`);
  await toggle(new RegExp(`^Commands \\(${count.toLocaleString('en')}\\)`)).waitFor();
  expect(await events().locator('[data-event]').count()).toBeLessThan(100);
  expect(await events().locator('[data-event]').first().getAttribute('aria-setsize')).toBe(String(count + 5));
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
  await event(`echo ${count}`).waitFor();
});
