import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const DRAFT = { prompt: 'true', profile: 'shell', draft: true };
/** Of a project without jobs. */
const BINDING = { binding_mode: 'custom', command: 'true', project: 'names' };
const rule = (name: string) => ({ rules: [{ id: 'unsafe-names', name, text: 'x' }] });
const profile = (env: string) => `{"profiles":[{"name":"some","agent":"shell","env":${env}}]}`;

const REFUSED: [string, string, string][] = [
  ['NUL', 'a\0b', 'a\\u0000b'],
  ['a C1 control', 'a\u009bb', 'a\\u009bb'],
  ['a bidirectional override', 'a\u202eb', 'a\\u202eb'],
  ['a joiner between Latin letters', 'a\u200db', 'a\\u200db'],
  ['a byte order mark', '\ufeffab', '\\ufeffab'],
  ['a tag', 'a\u{e0041}b', 'a\\udb40\\udc41b'],
];

/** Where a client names something, and the field that the error names. */
const NAMED: [string, (name: string) => ['POST' | 'GET', string, unknown?], string][] = [
  ['a project of a job', (project) => ['POST', '/jobs', { ...DRAFT, project }], 'body.project'],
  ['a project_id of a job', (project_id) => ['POST', '/jobs', { ...DRAFT, project_id }], 'body.project_id'],
  ['a cwd', (cwd) => ['POST', '/jobs', { ...DRAFT, cwd }], 'body.cwd'],
  ['a model', (model) => ['POST', '/jobs', { ...DRAFT, model }], 'body.model'],
  ['a project of a binding', (project) => ['POST', '/deploy-bindings', { ...BINDING, project }], 'body.project'],
  ['a binding', (name) => ['POST', '/deploy-bindings', { ...BINDING, name }], 'body.name'],
  ['a rule', (name) => ['POST', '/config/import?dry_run=1', rule(name)], 'body.rules[0].name'],
  ['a project of a list', (name) => ['GET', `/jobs?project=${encodeURIComponent(name)}`], 'query.project'],
];

describe('a name with hidden characters', () => {
  it.each(REFUSED)('is rejected with an error that shows the hidden characters: %s', async (_, name, shown) => {
    for (const [, request, place] of NAMED) {
      const { status, json } = await service.api(...request(name));
      expect([place, status, json.error]).toEqual([
        place,
        400,
        expect.stringContaining(`${place}: received "${shown}" (string); expected text without `),
      ]);
    }
  });

  it.each(['café', 'Ελλάδα', 'می‌خواهم', 'क्‍ष', '👩🏽‍💻 team', '❤️‍🔥', '1️⃣ first', '日本 語'])(
    'is accepted if a script or an emoji needs its joiners: %s',
    async (name) => {
      for (const [what, request] of NAMED) {
        const { status, text } = await service.api(...request(name));
        expect([what, status < 300, text]).toEqual([what, true, text]);
      }
    },
  );
});

it("a project's name is the same in any composition of its characters", async () => {
  const [composed, decomposed] = ['caf\u00e9 twice', 'cafe\u0301 twice'];
  const jobOf = async (project: string) => {
    const { json } = await service.api('POST', '/jobs', { ...DRAFT, project });
    return (await service.api('GET', `/jobs/${json.id}`)).json;
  };
  const [first, second] = [await jobOf(decomposed), await jobOf(composed)];
  expect(second.project_id).toBe(first.project_id);
  expect([first.project, second.project]).toEqual([composed, composed]);
  for (const name of [composed, decomposed]) {
    const listed = await service.api('GET', `/jobs?project=${encodeURIComponent(name)}`);
    expect(listed.json.total).toBe(2);
    const edited = await service.api('PATCH', `/projects/${encodeURIComponent(name)}`, { setup: '' });
    expect([edited.status, edited.json.id]).toEqual([200, first.project_id]);
  }
  const bound = async (name: string) => (await service.api('POST', '/deploy-bindings', { ...BINDING, name })).json.id;
  expect(await bound(composed)).toBe(await bound(decomposed));
});

it('a working folder keeps the bytes of its name', async () => {
  const cwd = 'cafe\u0301';
  const { json } = await service.api('POST', '/jobs', { ...DRAFT, cwd });
  expect((await service.api('GET', `/jobs/${json.id}`)).json.cwd).toBe(cwd);
});

it.each<[string, string, object, string]>([
  ['POST', '/jobs', { ...DRAFT, prompt: 'a\0b' }, 'body.prompt'],
  ['POST', '/jobs', { ...DRAFT, rule_ids: ['x', 'a\0b'] }, 'body.rule_ids[1]'],
  ['POST', '/jobs/none/messages', { text: 'a\0b' }, 'body.text'],
  ['POST', '/deploy-bindings', { ...BINDING, command: 'a\0b' }, 'body.command'],
  [
    'POST',
    '/config/import',
    { profiles: [{ name: 'p', agent: 'shell', env: { A: 'a\0b' } }] },
    'body.profiles[0].env.A',
  ],
])('a NUL in a text for processes is rejected: %s %s %s', async (method, path, body, place) => {
  const { status, json } = await service.api(method as 'POST', path, body);
  expect([status, json.error]).toEqual([400, `${place}: received "a\\u0000b" (string); expected text without NUL`]);
});

describe('the name __proto__', () => {
  it.each([
    ['GET', '/jobs?__proto__=1', undefined, 'query: unknown "__proto__"; allowed: '],
    ['GET', '/health?__proto__=1', undefined, 'query: unknown "__proto__"; none is allowed'],
    ['POST', '/jobs', '{"prompt":"x","__proto__":{"draft":true}}', 'body: unknown "__proto__"; allowed: '],
    ['POST', '/config/import', profile('{"__proto__":"x"}'), 'body.profiles[0].env: __proto__ is not an allowed name'],
    ['POST', '/config/import', '{"profiles":[{"name":"some","agent":"shell","__proto__":{}}]}', '__proto__'],
  ])('is rejected like any unknown name: %s %s %s', async (method, path, body, message) => {
    const { status, json } = await service.api(method, path, body);
    expect([status, json.error]).toEqual([400, expect.stringContaining(message)]);
  });
});

it.each([
  ['https://{project}/', 'has a placeholder in its scheme, user, host or port'],
  ['vscode://{project}/x', 'has a placeholder in its scheme, user, host or port'],
  ['https://editor.example:{project}/', 'is not a URL'],
  ['JavaScript:alert(1)', 'starts with javascript:'],
  ['ht\ntps://editor.example/', 'contains control, bidirectional or invisible characters'],
])('a link to an editor whose host a job could choose, or that is unsafe, is refused: %j', async (open_url, why) => {
  const write = { binding_mode: 'hosted_editor', project: 'links', open_url };
  const { status, json } = await service.api('POST', '/deploy-bindings', write);
  expect([status, json.error]).toEqual([400, expect.stringContaining(why)]);
});
