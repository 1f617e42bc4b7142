import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsOf, emptyHome } from '../../bin/promptq/promptq-command.ts';
import { shellBlocks } from '../../docs/documents.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';

const home = emptyHome();
let service: OwnService;
/** The pages of the stand-ins, by messenger. */
let pages: Record<'slack' | 'email', { readonly page: string; readonly target: Record<string, string> }>;

beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_MESSENGERS: 'practice', PROMPTQ_CALLS_TO_LOOPBACK: '1' } });
  pages = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8')).messengers;
});
afterAll(async () => {
  expect(await service?.stop()).toBe(0);
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function call(which: 'slack' | 'email', method: string, path: string, body?: object): Promise<any> {
  const sent = await fetch(`${pages[which].page}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  return await sent.json();
}
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
const messages = async () => (await call('slack', 'GET', 'state')).messages as { text: string; blocks: object[] }[];
async function runJob(prompt: string, project: string, more: object = {}): Promise<string> {
  const { json, text } = await service.api('POST', '/jobs', { profile: 'shell', prompt, project, ...more });
  expect(json.id, text).toBeDefined();
  return json.id;
}
async function subscribe(name: string, target: object, more: object = {}) {
  const made = await service.api('POST', '/subscriptions', { name, target, ...more });
  expect(made.status, made.text).toBe(201);
  return made.json.id as string;
}

test('the recipe of docs/guide/messages.md alerts on a failure', async () => {
  const { webhook_url: url } = await call('slack', 'GET', 'state');
  const env = { SLACK_WEBHOOK_URL: String(url) };
  const commands = commandsOf(() => service, home);
  const run = async (line: string) => await commands.run(wordsOf(line).slice(1), { env });
  const [block = ''] = shellBlocks('docs/guide/messages.md', 'Alert on failure');
  const [, create = '', send = '', deliveries = ''] = block.trim().split('\n');
  expect((await run(create)).stderr).toContain('which sends job.failed');
  await run(send);
  await waitFor(async () => (await messages()).some(({ text }) => text.startsWith('Test of a subscription: ')));
  await runJob('exit 4', 'elsewhere');
  const id = await runJob('echo no >&2; exit 3', 'shop', { title: 'Publish <!channel>' });
  const alert = await waitFor(async () => (await messages()).find(({ text }) => text.startsWith('Failed: ')));
  expect(alert.text.split('\n').slice(0, 2)).toEqual([
    'Failed: Publish &lt;!channel&gt;',
    'The process ended. Exit code 3.',
  ]);
  expect(alert.text).toMatch(new RegExp(`Project shop · .*\n.*/jobs/${id}$`));
  await waitFor(async () => / delivered .*job\.failed/.test((await run(deliveries)).stdout));
  const { text } = await service.api('GET', '/subscriptions');
  expect(text).toContain('Failures of the shop');
  expect(text).not.toContain(new URL(url).pathname);
  expect(await messages()).toHaveLength(2);
});

test('a bot changes its message when the failed job has succeeded after a retry', async () => {
  await subscribe('Bot', { slack: pages.slack.target }, { events: ['job.failed'], filter: { project: 'retried' } });
  const id = await runJob('test -e once || { touch once; exit 3; }', 'retried', { title: 'Flaky' });
  const find = async (text: string) => (await messages()).find((one) => one.text.startsWith(text));
  await waitFor(async () => await find('Failed: Flaky'));
  expect((await service.api('POST', `/jobs/${id}/retry`)).status).toBe(200);
  await waitFor(async () => await find('Succeeded: Flaky'));
  expect(await find('Failed: Flaky')).toBeUndefined();
});

test('a job that answers only NO_REPLY sends nothing', async () => {
  const events = ['job.succeeded'];
  const quiet = await subscribe('Quiet', { slack: pages.slack.target }, { events, filter: { project: 'quiet' } });
  for (const [title, answer] of [
    ['Silent', 'NO_REPLY'],
    ['Loud', 'All is well'],
  ] as const)
    await runJob(`drill: json ${answer}`, 'quiet', { profile: 'practice', title });
  await waitFor(async () => (await messages()).some(({ text }) => text.startsWith('Succeeded: Loud\nAll is well')));
  await waitFor(async () => {
    const { items } = (await service.api('GET', `/subscriptions/${quiet}/deliveries`)).json;
    return items.length === 2 && items.every(({ state }: { state: string }) => state === 'delivered');
  });
  expect((await messages()).some(({ text }) => text.includes('Silent'))).toBe(false);
});

test('mails are sent once, and a recipient that SES refuses disables the subscription with the reason', async () => {
  await call('email', 'PUT', 'verified', { sandbox: true, addresses: ['practice.example', 'ada@example.com'] });
  const filter = { project: 'mailed' };
  await subscribe('Ada', { email: { to: ['ada@example.com'] } }, { events: ['job.failed'], filter });
  const refusing = await subscribe('Ben', { email: { to: ['ben@example.com'] } }, { events: ['job.failed'], filter });
  const id = await runJob('exit 5', 'mailed', { title: 'Ledger' });
  const [mail] = await waitFor(async () => {
    const { mails } = await call('email', 'GET', 'state');
    return mails.length > 0 && mails;
  });
  expect(mail).toMatchObject({ to: ['ada@example.com'], subject: 'Failed: Ledger' });
  expect(mail.text).toContain(`/jobs/${id}`);
  expect(mail.headers['In-Reply-To']).toMatch(/@practice\.example>$/);
  const ben = await waitFor(async () => {
    const { json } = await service.api('GET', `/subscriptions/${refusing}`);
    return json.state === 'disabled' && json;
  });
  expect(ben.state_reason).toMatch(/^mail_rejected: SES answered MessageRejected: .*ben@example\.com/);
});

test('what a target lacks is one answer that names each field, and repeats no secret', async () => {
  const target = { slack: { bot_token: 'xoxb-hidden-hidden' } };
  const refused = await service.api('POST', '/subscriptions', { name: 'Lacking', target });
  expect(refused.status).toBe(400);
  const [channel, secret, ...others] = refused.json.details.faults.map((fault: object) => JSON.stringify(fault));
  expect(channel).toContain('target.slack.channel');
  expect(secret).toContain('target.slack.signing_secret');
  expect(others).toEqual([]);
  const foreign = { slack: { webhook_url: 'https://example.com/services/hidden' } };
  const elsewhere = await service.api('POST', '/subscriptions', { name: 'Foreign', target: foreign });
  expect(elsewhere.text).toContain('is not of hooks.slack.com');
  expect(refused.text + elsewhere.text).not.toContain('hidden');
});

test('a question is answered by a button in Slack, once, by a person who may', async () => {
  const filter = { project: 'asking' };
  const id = await subscribe('Asks', { slack: pages.slack.target }, { filter, answers_from: ['U0ADA0001'] });
  const url = `${service.baseUrl}/api/v1/subscriptions/${id}/slack`;
  await call('slack', 'PUT', 'interactivity', { url });
  const prompt = 'drill: use ask_human {"question": "Which color?", "options": ["red", "blue"]}';
  const job = await runJob(prompt, 'asking', { profile: 'practice', title: 'Paint' });
  const { ts } = (await waitFor(async () =>
    (await messages()).find(({ text }) => text.includes('Question: Paint')),
  )) as {
    readonly ts?: string;
  };
  const press = async (user: string) => await call('slack', 'POST', 'press', { ts, user, action_id: 'answer-1' });
  expect(await press('U0BEN0002')).toMatchObject({ status: 200 });
  const { request, ...answered } = await press('U0ADA0001');
  expect(answered).toEqual({ status: 200 });
  const repeated = await fetch(url, { method: 'POST', ...request });
  const forged = await fetch(url, { method: 'POST', headers: request.headers, body: `${request.body}&x=1` });
  const plain = await fetch(url, { method: 'POST', body: request.body });
  expect([repeated.status, forged.status, plain.status]).toEqual([200, 401, 401]);
  const { items } = (await service.api('GET', `/jobs/${job}/questions`)).json;
  expect(items).toMatchObject([{ state: 'answered', answer: 'blue', answered_by: 'slack:U0ADA0001' }]);
  const { notes } = await call('slack', 'GET', 'state');
  expect(notes).toMatchObject([{ user: 'U0BEN0002' }]);
  await waitFor(async () => (await messages()).some(({ text }) => text.startsWith('Answered: Paint')));
  await waitFor(async () => (await service.api('GET', `/jobs/${job}`)).json.status === 'SUCCEEDED');
});
