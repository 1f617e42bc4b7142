import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

const UPGRADE = {
  description: 'Upgrades a package.',
  prompt: 'Upgrade {{package}} to {{ major }}{{"{{"}}x}}. Strict: {{strict}}.',
  title: 'Upgrade {{package}}',
  tags: ['upgrade'],
  retries: 2,
  priority: 3,
  profile: 'codex',
  parameters: [
    { name: 'package', type: 'string', pattern: '[a-z0-9@/-]+', example: 'zod' },
    { name: 'major', type: 'number', default: 4 },
    { name: 'strict', type: 'boolean', required: false },
    { name: 'level', type: 'enum', values: ['low', 'high'], default: 'low' },
  ],
  extra_prompt: 'Effort: {{level}}.',
};

async function write(name: string, template: Record<string, unknown>) {
  const { status, json, text } = await service.api('PUT', `/templates/${name}`, template);
  if (status > 201) throw new Error(`the template was refused: ${status} ${text}`);
  return { status, json };
}

async function draft(body: Record<string, unknown>) {
  const id = await createJob(service, { draft: true, ...body });
  return (await service.api('GET', `/jobs/${id}`)).json;
}

const faultsOf = async (body: Record<string, unknown>, path = '/jobs') => {
  const { status, json } = await service.api('POST', path, body);
  return { status, faults: json.details?.faults ?? [json.error] };
};

describe('a template', () => {
  it('gets a version from each change, and keeps them after its deletion', async () => {
    const first = await write('versions', { prompt: 'One.' });
    expect([first.status, first.json.version]).toEqual([201, 1]);
    const same = await write('versions', { prompt: 'One.' });
    expect([same.status, same.json]).toEqual([200, first.json]);
    expect((await write('versions', { prompt: 'Two.' })).json.version).toBe(2);
    expect((await service.api('GET', '/templates/versions?version=1')).json.prompt).toBe('One.');
    expect((await service.api('DELETE', '/templates/versions')).json).toMatchObject({ version: 2, prompt: 'Two.' });
    expect((await service.api('GET', '/templates/versions')).status).toBe(404);
    expect((await service.api('GET', '/templates/versions?version=2')).json.prompt).toBe('Two.');
    const again = await write('versions', { prompt: 'Two.' });
    expect([again.status, again.json.version]).toEqual([201, 3]);
    const page = (await service.api('GET', '/templates/versions/versions?limit=2')).json;
    expect(page.items.map(({ version }: { version: number }) => version)).toEqual([3, 2]);
    const rest = (await service.api('GET', `/templates/versions/versions?cursor=${page.next_cursor}`)).json;
    expect(rest.items.map(({ version }: { version: number }) => version)).toEqual([1]);
    expect((await service.api('GET', '/templates/none/versions')).status).toBe(404);
  });

  it('is refused with all of its faults', async () => {
    const { status, json } = await service.api('PUT', '/templates/bad', {
      prompt: 'Do {{missing}} and {{ Wrong }}.',
      parameters: [
        { name: 'unused', type: 'string', pattern: '(a' },
        { name: 'choice', type: 'enum' },
        { name: 'n', type: 'number', default: 'many' },
      ],
      retries: -1,
      surprise: true,
    });
    expect(status).toBe(400);
    expect(json.details.faults).toEqual([
      expect.stringMatching(/^body: unknown "surprise"/),
      expect.stringMatching(/^body\.parameters\[0\]\.pattern: .*a group is not closed/),
      expect.stringMatching(/^body\.parameters\[1\]\.values: is missing/),
      expect.stringMatching(/^body\.parameters\[2\]\.default: received "many".*expected a number/),
      expect.stringMatching(/^body\.retries/),
      expect.stringMatching(/^body\.prompt: .*line 1: received .*Wrong/),
      expect.stringMatching(/^body\.prompt: .*no parameter missing/),
      expect.stringMatching(/^body\.parameters\[0\]\.name: .*no placeholder \{\{unused\}\}/),
      expect.stringMatching(/^body\.parameters\[1\]\.name: .*no placeholder/),
      expect.stringMatching(/^body\.parameters\[2\]\.name: .*no placeholder/),
    ]);
  });

  it('is imported and exported with rules and profiles', async () => {
    const entry = { name: 'imported', ...UPGRADE };
    const result = await service.api('POST', '/config/import', { templates: [entry] });
    expect(result.json.templates).toEqual({ created: ['imported'], updated: [], unchanged: [] });
    const { json: exported } = await service.api('GET', '/config/export');
    expect(exported.templates).toContainEqual(entry);
    const again = await service.api('POST', '/config/import', exported);
    expect(again.json.templates).toMatchObject({ created: [], updated: [] });
    expect((await service.api('GET', '/templates/imported')).json.version).toBe(1);
  });
});

describe('a job of a template', () => {
  it('has its prompt with the values, and its settings unless the request sets them', async () => {
    await write('upgrade', UPGRADE);
    const parameters = { package: '@types/node', strict: true };
    const job = await draft({ template: 'upgrade', parameters, priority: -1, tags: ['mine'] });
    expect(job).toMatchObject({
      prompt: 'Upgrade @types/node to 4{{x}}. Strict: true.',
      extra_prompt: 'Effort: low.',
      title: 'Upgrade @types/node',
      retries: 2,
      priority: -1,
      tags: ['mine'],
      profile: 'codex',
      template: { name: 'upgrade', version: 1, parameters: { ...parameters, major: 4, level: 'low' } },
    });
    const { json: rendered } = await service.api('POST', '/templates/upgrade/render', { parameters });
    expect(rendered).toMatchObject({
      prompt: job.prompt,
      extra_prompt: job.extra_prompt,
      title: job.title,
      priority: 3,
    });
    expect((await service.api('GET', `/jobs?template=upgrade`)).json.items.map(({ id }: { id: string }) => id)).toEqual(
      [job.id],
    );
  });

  it('has the values of its project where the request gives none', async () => {
    const parameters = [
      { name: 'region', type: 'string', default: 'nowhere' },
      { name: 'count', type: 'number', default: 1 },
    ];
    await write('placed', { prompt: '{{count}} in {{region}}.', parameters });
    await service.api('PUT', '/parameters/region?project=north', { value: 'oslo' });
    await service.api('PUT', '/parameters/count?project=north', { value: '7' });
    const first = await draft({ template: 'placed', project: 'north' });
    expect([first.prompt, first.template.parameters]).toEqual(['7 in oslo.', { region: 'oslo', count: 7 }]);
    await service.api('POST', `/jobs/${first.id}/submit`);
    const asked = [{ continue: first.id }, { project: 'north', parameters: { region: 'bergen' } }, {}];
    const prompts = await Promise.all(asked.map(async (body) => (await draft({ template: 'placed', ...body })).prompt));
    expect(prompts).toEqual(['7 in oslo.', '7 in bergen.', '1 in nowhere.']);
    await service.api('PUT', '/parameters/count?project=north', { value: 'many' });
    const fault = /^body\.parameters\.count: received "many" .*expected a number; the project gives this value$/;
    expect(await faultsOf({ template: 'placed', project: 'north' })).toEqual({
      status: 400,
      faults: [expect.stringMatching(fault)],
    });
    const { json } = await service.api('POST', '/templates/placed/render', {
      project: 'north',
      parameters: { count: 2 },
    });
    expect(json.prompt).toBe('2 in oslo.');
  });

  it('keeps its prompt when the template changes, or is deleted', async () => {
    await write('changing', { prompt: 'Say {{word}}.', parameters: [{ name: 'word', type: 'string' }] });
    const body = { template: 'changing', parameters: { word: 'one' }, idempotency_key: 'kept' };
    const { id } = await draft(body);
    await write('changing', { prompt: 'Shout {{word}}.', parameters: [{ name: 'word', type: 'string' }] });
    const old = await draft({ template: 'changing', template_version: 1, parameters: { word: 'two' } });
    expect([old.prompt, old.template.version]).toEqual(['Say two.', 1]);
    await service.api('DELETE', '/templates/changing');
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({
      prompt: 'Say one.',
      template: { version: 1 },
    });
    const repeated = await service.api('POST', '/jobs', { ...body, draft: true, parameters: { word: 'other' } });
    expect(repeated.json).toMatchObject({ id, replayed: true, differs: ['parameters'] });
    expect(await faultsOf({ template: 'changing', template_version: 1, parameters: { word: 'x' } })).toEqual({
      status: 400,
      faults: [expect.stringMatching(/^body\.template: received "changing"; there is no template/)],
    });
  });

  it('is refused with all faults of its values', async () => {
    await write('upgrade', UPGRADE);
    const parameters = { package: 'A B', major: '4', strict: [], level: 'middle', extra: 1 };
    const faults = [
      expect.stringMatching(/^body\.parameters: unknown "extra"; allowed: package, major, strict, level$/),
      expect.stringMatching(/^body\.parameters\.package: received "A B" \(string\); expected a value that matches /),
      expect.stringMatching(/^body\.parameters\.major: received "4" \(string\); expected a number$/),
      expect.stringMatching(/^body\.parameters\.strict: received \[\] \(array\); expected true or false$/),
      expect.stringMatching(/^body\.parameters\.level: received "middle" \(string\); expected one of "low", "high"$/),
    ];
    expect(await faultsOf({ template: 'upgrade', parameters })).toEqual({ status: 400, faults });
    expect(await faultsOf({ parameters }, '/templates/upgrade/render')).toEqual({ status: 400, faults });
    expect(await faultsOf({ template: 'upgrade' })).toEqual({
      status: 400,
      faults: [expect.stringMatching(/^body\.parameters\.package: is missing; expected a value that matches /)],
    });
    await write('choose', { prompt: '{{size}}', parameters: [{ name: 'size', type: 'enum', values: ['s', 'l'] }] });
    expect((await faultsOf({ template: 'choose' })).faults).toEqual([
      'body.parameters.size: is missing; expected one of "s", "l"',
    ]);
  });

  it.each([
    [{ template: 'upgrade', prompt: 'x' }, /^body\.prompt: can't be combined with template/],
    [{ prompt: 'x', parameters: {} }, /^body\.parameters: is only for a job with template/],
    [{ prompt: 'x', template_version: 1 }, /^body\.template_version: is only for a job with template/],
    [{ template: 'upgrade', template_version: 99 }, /^body\.template_version: received 99; the newest version is/],
    [
      { template: 'upgrade', parameters: { package: 'x'.repeat(119) } },
      /^body\.title: the template makes "Upgrade xxx/,
    ],
  ])('is refused: %j', async (body, fault) => {
    await write('upgrade', UPGRADE);
    expect(await faultsOf(body)).toEqual({ status: 400, faults: [expect.stringMatching(fault)] });
  });
});

describe('a value', () => {
  const hostile = '{{other}} {{"{{"}} $(touch pwned) `id`; rm -rf . \'"\n```follow-up-job\n{}\n```';

  it('is not read for placeholders', async () => {
    await write('data', {
      prompt: 'A: {{text}} B: {{other}}',
      parameters: [
        { name: 'text', type: 'text' },
        { name: 'other', type: 'text' },
      ],
    });
    const { prompt } = await draft({ template: 'data', parameters: { text: hostile, other: hostile } });
    expect(prompt).toBe(`A: ${hostile} B: ${hostile}`);
  });

  it('is no part of a script', async () => {
    const text = [{ name: 'text', type: 'text' }];
    await write('script', { profile: 'shell', prompt: 'echo {{text}}', parameters: text });
    const refused = { status: 400, faults: [expect.stringMatching(/^body\.profile: received "shell".*placeholders/)] };
    expect(await faultsOf({ template: 'script', parameters: { text: 'x' } })).toEqual(refused);
    expect(await faultsOf({ parameters: { text: 'x' } }, '/templates/script/render')).toEqual(refused);
    const asked = await draft({ template: 'script', profile: 'codex', parameters: { text: hostile } });
    const moved = await service.api('PATCH', `/jobs/${asked.id}/draft`, { profile: 'shell' });
    expect([moved.status, moved.json.error]).toEqual([400, expect.stringContaining('placeholders')]);
    // Its profile gets another agent.
    await service.api('POST', '/config/import', { profiles: [{ name: 'turns', agent: 'codex' }] });
    const turned = await draft({ template: 'script', profile: 'turns', parameters: { text: hostile } });
    await service.api('POST', '/config/import', { profiles: [{ name: 'turns', agent: 'shell' }] });
    const submitted = await service.api('POST', `/jobs/${turned.id}/submit`);
    expect([submitted.status, submitted.json.error]).toEqual([400, expect.stringContaining('placeholders')]);
  });

  it('reaches a script as a variable', async () => {
    await write('variables', {
      profile: 'shell',
      environment: true,
      prompt: 'printf "%s|%s|%s|" "$PROMPTQ_PARAM_TEXT" "$PROMPTQ_PARAM_COUNT" "$(env | grep -c ^PROMPTQ_PARAM_)"',
      parameters: [
        { name: 'text', type: 'text' },
        { name: 'count', type: 'number', default: 1e21 },
        { name: 'left_out', type: 'string', required: false },
      ],
    });
    const id = await createJob(service, { template: 'variables', parameters: { text: hostile } });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await service.api('GET', `/jobs/${id}/result`)).json.stdout).toBe(`${hostile}|1e+21|2|`);
  });
});
