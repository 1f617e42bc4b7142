import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { shellBlocks } from '../../docs/documents.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});
const { run, promptq, json } = commandsOf(() => service, home);

/** The words of a line of shell, without its quotes. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

test('the recipe of docs/guide/automations.md does what it says', async () => {
  const [block = ''] = shellBlocks('docs/guide/automations.md', 'A nightly dependency update');
  const [create = '', start = '', runs = '', disable = '', list = ''] = block.trim().split('\n');
  const created = await run([...wordsOf(create).slice(1), '--timezone', 'Europe/Berlin', '--profile', 'practice']);
  expect(created.stdout.trim().split('\n')).toHaveLength(5);
  expect(created.stdout).toMatch(/^\d{4}-\d\d-\d\dT03:00:00\+0[12]:00$/m);
  const id = (await run(wordsOf(start).slice(1))).stdout.trim();
  const job = await waitFor(async () => {
    const { json: read } = await service.api('GET', `/jobs/${id}`);
    return read.status === 'SUCCEEDED' && read;
  });
  expect(job).toMatchObject({ project: 'shop', prompt: 'Update the dependencies and run the tests.' });
  expect((await run(wordsOf(runs).slice(1))).stdout).toMatch(new RegExp(`fired +0 s +${id} +SUCCEEDED`));
  expect((await run(wordsOf(disable).slice(1))).stderr).toContain('disabled Nightly update');
  expect((await run(wordsOf(list).slice(1))).stdout).toMatch(
    /Nightly update +disabled +0 3 \* \* MON-FRI Europe\/Berlin +- +SUCCEEDED/,
  );
});

test('the automation of a template in docs/guide/automations.md creates jobs with its values', async () => {
  const [, block = ''] = shellBlocks('docs/guide/automations.md', 'A nightly dependency update');
  await service.api('PUT', '/templates/report', {
    prompt: 'Report since {{since}}, {{times}} times.',
    parameters: [
      { name: 'since', type: 'string' },
      { name: 'times', type: 'number', default: 1 },
    ],
    profile: 'practice',
  });
  const [, ...words] = wordsOf(block);
  await promptq(...words, 'times=2');
  const shown = await promptq('automations', 'show', 'Weekly report');
  expect(shown.stdout).toContain('template  report with {"since":"{{last_success_at}}","times":2}\n');
  const id = (await promptq('automations', 'run', 'Weekly report')).stdout.trim();
  const { json: job } = await service.api('GET', `/jobs/${id}`);
  expect(job).toMatchObject({ prompt: 'Report since never, 2 times.', template: { name: 'report', version: 1 } });
});

test('the triage on a hook of docs/guide/automations.md makes a draft of an issue', async () => {
  const [block = ''] = shellBlocks('docs/guide/automations.md', 'Triage on a hook');
  const [create = '', deliver = '', list = ''] = block.trim().replace('\\\n', '').split('\n');
  const created = await run([...wordsOf(create).slice(1), '--profile', 'practice']);
  const [, address = '', secret = ''] = /^address (\S+)\nsecret +(whsec_\S+)\n$/.exec(created.stdout) ?? [];
  const [, body = ''] = /'(.*)'/.exec(deliver) ?? [];
  const tested = (await run(['automations', 'deliver', 'Triage', body])).stdout.trim();
  const jobOf = async (delivery: string) =>
    await waitFor(async () => {
      const { stdout } = await run(wordsOf(list).slice(1));
      const [, jobId] = new RegExp(`${delivery} .* fired +(job_\\w+)`).exec(stdout) ?? [];
      return jobId !== undefined && (await service.api('GET', `/jobs/${jobId}`)).json;
    });
  expect(await jobOf(tested)).toMatchObject({ status: 'DRAFT' });
  const issue = '{"action":"opened","issue":{"number":7,"title":"Typo","body":"See\\n## README"},"sender":{"id":1}}';
  const signature = createHmac('sha256', secret).update(issue).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  const { id } = (await (await fetch(address, { method: 'POST', headers, body: issue })).json()) as { id: string };
  const draft = await jobOf(id);
  expect([draft.status, draft.project, draft.prompt.split('\n').slice(-2)]).toEqual([
    'DRAFT',
    'shop',
    ['> text: "See\\n## README"', '> title: "Typo"'],
  ]);
  expect((await run(['automations', 'resend', 'Triage', id])).stdout).not.toContain(id);
});

test('a hook is created with all its settings, and gets the secret of the sender', async () => {
  const verify = ['--style', 'hmac', '--header', 'X-Sign', '--prefix', 'v1=', '--encoding', 'base64'];
  const rest = ['--delivery-id', '/id', '--filter', '/a=x', '--filter', '/a=y=z', '--filter', '/b=1', '--map', 'c=/d'];
  const { value } = await json('Automation', ['hook', 'Signed', 'Look.', '--profile', 'practice', ...verify, ...rest]);
  expect(value.trigger.hook).toMatchObject({
    verify: { style: 'hmac', header: 'x-sign', prefix: 'v1=', encoding: 'base64' },
    delivery_id: { header: null, pointer: '/id' },
    filter: [
      { pointer: '/a', one_of: ['x', 'y=z'] },
      { pointer: '/b', one_of: ['1'] },
    ],
    map: { c: '/d' },
    drafts: false,
  });
  expect((await promptq('automations', 'secret', 'Signed', 'made-by-the-sender')).stdout).toBe('made-by-the-sender\n');
  expect((await promptq('automations', 'secret', 'Signed')).stdout).toMatch(/^whsec_/);
  expect((await promptq('automations', 'show', 'Signed')).stdout).toContain('hook hmac');
});

test('the chain of docs/guide/automations.md starts its second job, once', async () => {
  const [block = ''] = shellBlocks('docs/guide/automations.md', 'A chain of two jobs');
  const [create = '', first = '', runs = ''] = block.trim().split('\n');
  const created = await run([...wordsOf(create).slice(1), '--profile', 'practice']);
  expect(created.stderr).toContain('created review');
  await promptq(...wordsOf(first).slice(1), '--profile', 'practice', '--detach');
  const second = await waitFor(async () => {
    const { json: page } = await service.api('GET', '/jobs?project=reviews');
    return page.items.length > 0 && (await service.api('GET', `/jobs/${page.items[0].id}`)).json;
  });
  const { json: page } = await service.api('GET', '/jobs?project=shop&limit=1');
  expect(second.prompt.split('\n')[0]).toBe(`Review the changes of job ${page.items[0].id}.`);
  expect(second.prompt).toMatch(/\n> \{"id":"\d+-\d+","type":"job.succeeded",.*"project":"shop",.*\}$/);
  await waitFor(async () => (await service.api('GET', `/jobs/${second.id}`)).json.status === 'SUCCEEDED');
  const listed = await run(wordsOf(runs).slice(1));
  expect(listed.stdout.match(/fired/g)).toHaveLength(1);
  const shown = await promptq('automations', 'show', 'Review');
  expect(shown.stdout).toContain('trigger   on job.succeeded, overlap queue\n');
  await promptq('automations', 'delete', 'Review');
});

test('an automation is tried, created, shown, enabled and deleted', async () => {
  const args = ['schedule', 'Hourly', 'true', '--profile', 'shell', '--every', '1h', '--overlap', 'queue', '--until'];
  const until = '2030-01-01T00:00:00Z';
  expect((await json('Automation', [...args, until, '--dry-run'])).value.next_runs).toHaveLength(5);
  expect(await run(['automations', 'show', 'Hourly'])).toMatchObject({ code: 4 });
  await promptq(...args, until);
  const shown = await promptq('automations', 'show', 'Hourly');
  expect(shown.stdout).toMatch(/^Hourly: active\nschedule +every 1h, overlap queue, missed latest\n/);
  expect((await json('Automation', ['automations', 'enable', 'Hourly'])).value.version).toBe(2);
  expect((await json('AutomationList', ['automations'])).value.items.length).toBeGreaterThan(0);
  expect((await promptq('automations', 'delete', 'Hourly')).stderr).toContain('deleted Hourly');
});

test.each([
  [['automations', 'show'], 'needs the name'],
  [['automations', 'resend', 'x'], 'needs the id of a delivery'],
  [['automations', 'stop', 'x'], 'list, show, runs'],
  [['hook', 'x', 'y', '--map', 'title'], 'expected an = in it'],
  [['schedule', 'x', 'true'], 'give --cron or --every'],
  [['on', 'x', 'y', '--event', 'job.started'], 'give --event with one of job.succeeded'],
  [['schedule', 'x', '--every', '1h'], 'give a prompt'],
  [['schedule', 'x', '--every', '1h', '--template-version', '2'], '--template-version needs --template'],
])('`promptq %j` is refused before a request', async (args, why) => {
  const { code, stderr } = await run(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});
