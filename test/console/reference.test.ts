import type { Browser, Request } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from './setup/browser.ts';
import { press, tabTo } from './setup/keyboard.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: object;
  readonly 'x-required-scope'?: string;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What the page of an operation has to show, from the document that clients read. */
function factsOf({ components }: Document, method: string, path: string, operation: Operation): readonly string[] {
  const { parameters = [], requestBody, responses } = operation;
  const schema = requestBody?.content['application/json'].schema;
  const body = schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  return [
    operation.summary,
    `${method.toUpperCase()} ${path}`,
    `Scope: ${operation['x-required-scope']}`,
    ...parameters.map(({ name }) => name),
    ...Object.keys(body?.properties ?? {}),
    ...Object.keys(responses),
    'Bearer $PROMPTQ_TOKEN',
  ];
}

/** Follows the link of each operation. Returns the text of each page. A loop in the page costs a tenth of one out of it. */
const OPEN_EACH = `async (operations) => {
  const texts = [];
  for (const { operationId, summary } of operations) {
    document.querySelector('nav a[href="/reference/' + operationId + '"]').click();
    const content = document.querySelector('.reference-content');
    const isShown = () => location.pathname.endsWith('/' + operationId) && content.querySelector('h1')?.textContent === summary;
    while (!isShown()) await new Promise(requestAnimationFrame);
    texts.push(content.innerText.replaceAll(/\\s+/g, ' '));
  }
  return texts;
}`;

test('the reference shows every operation of the deployment, and sends nothing but reads to its own service', async () => {
  const document: Document = (await service.api('GET', '/openapi.json')).json;
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/reference' });
  const sent: string[] = [];
  const record = (request: Request) => sent.push(`${request.method()} ${new URL(request.url()).origin}`);
  page.on('request', record);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  await page.getByText(`${operations.length} of ${operations.length} operations`).waitFor();
  const wanted = operations.map(({ operation: { operationId, summary } }) => ({ operationId, summary }));
  const texts = await page.evaluate<string[]>(`(${OPEN_EACH})(${JSON.stringify(wanted)})`);
  const missing = operations.flatMap(({ method, path, operation }, at) => {
    const facts = factsOf(document, method, path, operation);
    return facts.filter((fact) => !texts[at]?.includes(fact)).map((fact) => `${operation.operationId}: ${fact}`);
  });
  expect(missing).toEqual([]);
  page.off('request', record);
  expect([...new Set(sent)].filter((line) => line !== `GET ${new URL(service.consoleUrl).origin}`)).toEqual([]);
  await stay(page);
});

test('an operation is found by keyboard and by its address', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/reference' });
  await tabTo(page, page.getByLabel('Search operations'));
  await page.keyboard.type('WRITE question_id');
  await page.getByText(/^1 of \d+ operations$/).waitFor();
  await press(page, page.getByRole('link', { name: /^POST/ }));
  const heading = page.getByRole('heading', { level: 1 });
  await expect.poll(() => heading.textContent()).toBe("Answer an agent's question");
  expect(page.url()).toBe(`${service.consoleUrl}/reference/answerJobs?search=WRITE+question_id`);
  await press(page, page.getByRole('button', { name: /^403/ }));
  await page.getByText('"required_scope": "write"').waitFor();
  await visit(page, '/reference/importConfig?search=import');
  await press(page, page.getByRole('button', { name: 'Fields of profiles' }).first());
  await page.getByText('Agent CLI that runs the prompt.').waitFor();
  await visit(page, '/reference/guessJobs');
  await page.getByRole('heading', { name: 'Operation not found' }).waitFor();
  await stay(page);
});
