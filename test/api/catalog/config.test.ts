import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

const SECRETS = 'FROM_FILE="value of the file"\nfull-own/FROM_FILE=only for one profile\n';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_SECRET_FROM_ENV: 'value-of-the-environment' } });
  await writeFile(join(service.home, 'secrets.env'), SECRETS, { mode: 0o600 });
});
afterAll(async () => {
  await service.stop();
});

async function imported(document: unknown): Promise<void> {
  const { status, text } = await service.api('POST', '/config/import', document);
  if (status !== 200) throw new Error(`the import was refused: ${status} ${text}`);
}

/** Creates a job and waits for its end. @returns its result */
async function ran(body: Record<string, unknown>) {
  const id = await createJob(service, body);
  await untilEnded(service, id);
  return (await service.api('GET', `/jobs/${id}/result`)).json;
}

describe('an import', () => {
  const document = {
    rules: Array.from({ length: 50 }, (_, n) => ({ id: `rule-${n}`, text: `Rule ${n}. ${'word '.repeat(5_000)}` })),
    profiles: Array.from({ length: 20 }, (_, n) => ({ name: `profile-${n}`, agent: 'shell', env: { N: String(n) } })),
  };
  const names = {
    rules: document.rules.map(({ id }) => id),
    profiles: document.profiles.map(({ name }) => name),
  };
  const none = { created: [], updated: [], unchanged: [] };

  it('takes 50 rules and 20 profiles in one call, and its export imports without changes', async () => {
    const dry = await service.api('POST', '/config/import?dry_run=1', document);
    const created = {
      rules: { ...none, created: names.rules },
      profiles: { ...none, created: names.profiles },
      templates: none,
    };
    expect(dry.json).toEqual({ dry_run: true, ...created });
    expect((await service.api('GET', '/rules')).json.items).toEqual([]);
    expect((await service.api('POST', '/config/import', document)).json).toEqual({ dry_run: false, ...created });
    const { json: exported } = await service.api('GET', '/config/export');
    expect((await service.api('POST', '/config/import', exported)).json).toEqual({
      dry_run: false,
      rules: { ...none, unchanged: names.rules.toSorted() },
      profiles: { ...none, unchanged: names.profiles.toSorted() },
      templates: none,
    });
  });

  it('changes the named items and keeps the others', async () => {
    await imported({ rules: [{ id: 'kept', text: 'Stay.' }] });
    await imported({ rules: [{ id: 'changed', text: 'Before.' }] });
    const { json } = await service.api('POST', '/config/import', {
      rules: [
        { id: 'changed', text: 'After.' },
        { id: 'kept', text: 'Stay.' },
      ],
    });
    expect(json.rules).toEqual({ created: [], updated: ['changed'], unchanged: ['kept'] });
  });

  it('is atomic with a concurrent one', async () => {
    const answers = await Promise.all(
      ['one', 'two'].map((text) =>
        service.api('POST', '/config/import', {
          rules: Array.from({ length: 30 }, (_, n) => ({ id: `both-${n}`, text })),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const texts = await rulesLike('both-');
    expect(new Set(texts).size).toBe(1);
  });

  it('is listed in pages, with the source of each item', async () => {
    await imported(document);
    const first = (await service.api('GET', '/rules?limit=2')).json;
    const second = (await service.api('GET', `/rules?limit=2&cursor=${first.next_cursor}`)).json;
    expect(first.items).toHaveLength(2);
    expect(second.items[0].id > first.items[1].id).toBe(true);
    const { json } = await service.api('GET', '/profiles');
    const byName = Object.fromEntries(json.items.map((item: { name: string }) => [item.name, item]));
    expect(byName).toMatchObject({
      claude: { source: 'built_in', updated_at: null, is_default: false },
      practice: { source: 'built_in', is_default: true },
      'profile-3': { source: 'imported', updated_at: expect.any(String), env: { N: '3' }, timeout_unit: 'seconds' },
    });
    const longerThanAKey = Buffer.from(JSON.stringify(['é'.repeat(600)])).toString('base64url');
    for (const cursor of ['nonsense', longerThanAKey])
      expect((await service.api('GET', `/rules?cursor=${cursor}`)).status).toBe(400);
  });
});

async function rulesLike(prefix: string): Promise<string[]> {
  const { json } = await service.api('GET', '/rules?limit=500');
  return json.items.filter(({ id }: { id: string }) => id.startsWith(prefix)).map(({ text }: { text: string }) => text);
}

describe('an invalid document is rejected with the path of its fault and changes nothing', () => {
  const rule = { id: 'good', text: 'Good.' };
  const profile = { name: 'good', agent: 'shell' };
  const inProfile = (fault: object) => ({ profiles: [profile, { ...profile, name: 'bad', ...fault }] });
  // `generated-requests` breaks every field; these are rules that no schema states, or that guard the worker.
  const cases: [string, unknown, RegExp][] = [
    ['an unknown list', { rulez: [], rules: [rule] }, /^body: unknown "rulez"; allowed: rules, profiles, templates$/],
    [
      'an id that is a path',
      { rules: [{ id: '../r', text: 'x' }] },
      /^body\.rules\[0\]\.id: received "\.\.\/r" .*letters/,
    ],
    [
      'an id twice',
      { rules: [rule, rule] },
      /^body\.rules\[1\]\.id: received "good" .*a different value than in rules\[0\]$/,
    ],
    [
      'too long a text',
      { rules: [{ id: 'r', text: 'x'.repeat(50_001) }] },
      /^body\.rules\[0\]\.text: .*at most 50000$/,
    ],
    [
      'a variable of the service',
      inProfile({ env: { PROMPTQ_ATTEMPT: 'x' } }),
      /^body\.profiles\[1\]\.env\.PROMPTQ_ATTEMPT: .*reserved for the service/,
    ],
    [
      'a variable of the dynamic loader',
      inProfile({ env: { LD_PRELOAD: '/workspaces/x/evil.so' } }),
      /^body\.profiles\[1\]\.env\.LD_PRELOAD: .*a profile can't set this variable: it changes the code that the dynamic loader loads/,
    ],
    [
      'a variable of an interpreter, from a secret too',
      inProfile({ env: { NODE_OPTIONS: { secret: 'A' } } }),
      /^body\.profiles\[1\]\.env\.NODE_OPTIONS: .*a profile can't set this variable: it makes every shell or interpreter/,
    ],
    [
      'a secret with a value',
      inProfile({ env: { A: { secret: 'A', value: 'x' } } }),
      /^body\.profiles\[1\]\.env\.A: unknown "value"; allowed: secret, commands$/,
    ],
  ];
  for (const [name, document, sentence] of cases) {
    it(name, async () => {
      const { status, json } = await service.api('POST', '/config/import', document);
      expect({ status, error: json.error }).toEqual({ status: 400, error: expect.stringMatching(sentence) });
    });
  }

  it('all faults of a document are reported, and none of it is applied', async () => {
    const { status, json } = await service.api('POST', '/config/import', {
      rules: [{ id: 'r' }, rule],
      profiles: [{ ...profile, timeout: 0 }, { name: 'p' }],
      extra: 1,
    });
    expect({ status, faults: json.details.faults }).toEqual({
      status: 400,
      faults: [
        expect.stringMatching(/^body: unknown "extra"/),
        expect.stringMatching(/^body\.rules\[0\]\.text/),
        expect.stringMatching(/^body\.profiles\[0\]\.timeout/),
        expect.stringMatching(/^body\.profiles\[1\]\.agent/),
      ],
    });
    expect(json.error).toMatch(/\(and 3 more: details\.faults\)$/);
    const { json: exported } = await service.api('GET', '/config/export');
    expect(JSON.stringify(exported)).not.toMatch(/"(good|bad)"/);
  });

  it('an import of more changes than one transaction holds is rejected', async () => {
    const { status, json } = await service.api('POST', '/config/import', {
      rules: Array.from({ length: 100 }, (_, n) => ({ id: `many-${n}`, text: 'x' })),
    });
    expect([status, json.error]).toEqual([400, expect.stringMatching(/received 100 .*at most 99/)]);
    expect(await rulesLike('many-')).toEqual([]);
  });
});

describe('a removal', () => {
  const remove = async (path: string) => await service.api('DELETE', path);

  it('removes a rule for later jobs, and a job that still needs it fails with the reason', async () => {
    await imported({ rules: [{ id: 'gone', text: 'Be gone.' }] });
    const waiting = await createJob(service, { prompt: 'Say hello.', rule_ids: ['gone'], draft: true });
    expect((await remove('/rules/gone')).json).toMatchObject({ id: 'gone', text: 'Be gone.', source: 'imported' });
    expect((await service.api('GET', '/rules?limit=500')).json.items.map(({ id }: { id: string }) => id)).not.toContain(
      'gone',
    );
    const refused = await service.api('POST', '/jobs', { prompt: 'x', rule_ids: ['gone'] });
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining('"gone"; there is no rule')]);
    await service.api('POST', `/jobs/${waiting}/submit`);
    expect(await untilEnded(service, waiting)).toMatchObject({
      status: 'FAILED',
      state_reason: { code: 'start_failed', message: expect.stringContaining("the job's rules no longer exist: gone") },
    });
    expect((await remove('/rules/gone')).status).toBe(404);
  });

  it('removes a profile, or uncovers the built-in one of its name', async () => {
    await imported({
      profiles: [
        { name: 'gone', agent: 'shell' },
        { name: 'claude', agent: 'claude', model: 'mine' },
      ],
    });
    const waiting = await createJob(service, { profile: 'gone', prompt: 'true', draft: true });
    expect((await remove('/profiles/gone')).json).toMatchObject({ name: 'gone', source: 'imported' });
    await service.api('POST', `/jobs/${waiting}/submit`);
    expect(await untilEnded(service, waiting)).toMatchObject({
      status: 'FAILED',
      state_reason: { code: 'start_failed', message: expect.stringContaining('profile gone no longer exists') },
    });
    expect((await remove('/profiles/claude')).json.model).toBe('mine');
    const { items } = (await service.api('GET', '/profiles?limit=500')).json;
    expect(items.find(({ name }: { name: string }) => name === 'claude')).toMatchObject({
      model: null,
      source: 'built_in',
    });
  });

  it.each([
    ['a built-in profile', 'claude', 400, /built in/],
    ['an unknown profile', 'none', 404, /not_found/],
  ])('of %s is rejected', async (_, name, status, error) => {
    const answer = await remove(`/profiles/${name}`);
    expect([answer.status, answer.json.error]).toEqual([status, expect.stringMatching(error)]);
  });

  it.each([['codex', { agent: 'codex', model: 'mine', sandbox: 'none' }]])(
    'puts back the profile %s of the local run, after several imports',
    async (name, other) => {
      const read = async () =>
        (await service.api('GET', '/profiles?limit=500')).json.items.find(
          (profile: { name: string }) => profile.name === name,
        );
      const seeded = await read();
      await imported({ profiles: [{ name, ...other }] });
      await imported({ profiles: [{ name, ...other, retries: 1 }] });
      expect(await read()).toMatchObject({ source: 'imported', retries: 1 });
      expect((await remove(`/profiles/${name}`)).status).toBe(200);
      expect(await read()).toEqual(seeded);
    },
  );

  it('is seen by a concurrent import', async () => {
    await imported({ rules: [{ id: 'twice', text: 'Be twice.' }] });
    const document = { rules: [{ id: 'twice', text: 'Be twice.' }] };
    const [removed, again] = await Promise.all([
      remove('/rules/twice'),
      service.api('POST', '/config/import', document),
    ]);
    expect([removed.status, again.status]).toEqual([200, 200]);
    const { created, unchanged } = again.json.rules;
    const after = (await service.api('POST', '/config/import?dry_run=1', document)).json.rules;
    const isThere = after.unchanged.includes('twice');
    // The second one decided on the state that the first had left.
    expect([created, unchanged, isThere]).toEqual(isThere ? [['twice'], [], true] : [[], ['twice'], false]);
  });
});

describe('a profile applies to a job', () => {
  it('with environment, secrets by name, which are masked, and arguments', async () => {
    await imported({
      profiles: [
        {
          name: 'full',
          agent: 'shell',
          args: ['first', 'second one'],
          env: { STAGE: 'production', A: { secret: 'FROM_ENV' }, B: { secret: 'FROM_FILE' } },
        },
      ],
    });
    const { stdout, status } = await ran({
      profile: 'full',
      prompt: `echo "$STAGE|$1|$2|\${#A}|\${#B}|$A|$B"; env | grep -c PROMPTQ_SECRET`,
    });
    expect([status, stdout]).toEqual(['FAILED', 'production|first|second one|24|17|***|***\n0\n']);
  });

  it("with its own value of a secret, which another profile doesn't get", async () => {
    const env = { B: { secret: 'FROM_FILE' } };
    await imported({ profiles: ['full-own', 'full-shared'].map((name) => ({ name, agent: 'shell', env })) });
    const lengths = await Promise.all(
      ['full-own', 'full-shared'].map(
        async (profile) => (await ran({ profile, prompt: 'printf "$B" | wc -c' })).stdout,
      ),
    );
    expect(lengths).toEqual(['20\n', '17\n']);
  });

  it('with timeout and retries where the job gives none', async () => {
    await imported({ profiles: [{ name: 'short', agent: 'shell', timeout: 0.2, retries: 3 }] });
    const taken = await createJob(service, { profile: 'short', prompt: 'true', draft: true });
    const own = await createJob(service, { profile: 'short', prompt: 'true', draft: true, timeout: 9, retries: 0 });
    const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
    expect(await read(taken)).toMatchObject({ timeout: 0.2, retries: 3 });
    expect(await read(own)).toMatchObject({ timeout: 9, retries: 0 });
    const { state_reason } = await ran({ profile: 'short', prompt: 'sleep 30', retries: 0 });
    expect(state_reason.code).toBe('timed_out');
  });

  it('without rules if its agent is the shell', async () => {
    const changing = { name: 'changing', agent: 'codex', vendor: 'practice' };
    await imported({ rules: [{ id: 'prose', text: 'Be kind.' }], profiles: [changing] });
    const ruled = { prompt: 'Say hello.', profile: 'changing', rule_ids: ['prose'] };
    const [draft, ended] = [await createJob(service, { ...ruled, draft: true }), await createJob(service, ruled)];
    const script = await createJob(service, { prompt: 'true', profile: 'shell', draft: true });
    const over = (await ran({ prompt: 'true', profile: 'shell' })).id;
    await untilEnded(service, ended);
    await imported({ profiles: [{ name: 'changing', agent: 'shell' }] });
    const refusals = [
      ['POST', '/jobs', { ...ruled, profile: 'shell' }, 'shell'],
      ['POST', '/jobs', { ...ruled, draft: true }, 'changing'],
      ['POST', '/jobs', { ...ruled, profile: undefined, continue: over }, 'shell'],
      ['PATCH', `/jobs/${script}/draft`, { rule_ids: ['prose'] }, 'shell'],
      ['PATCH', `/jobs/${draft}/draft`, { profile: 'shell' }, 'shell'],
      ['POST', `/jobs/${draft}/submit`, {}, 'changing'],
      ['POST', `/jobs/${ended}/retry`, {}, 'changing'],
    ] as const;
    for (const [method, path, body, profile] of refusals) {
      const { status, json } = await service.api(method, path, body);
      const why = `received "prose"; the profile "${profile}" has the agent shell, which runs the prompt as a script`;
      expect([path, status, json.error]).toEqual([path, 400, expect.stringContaining(why)]);
    }
    expect((await service.api('GET', `/jobs/${ended}/result`)).json.composed_prompt).toBe('Be kind.\n\nSay hello.');
  });

  it('with a model, and rules before the prompt', async () => {
    await imported({
      rules: [{ id: 'first', text: 'Rule one.' }],
      profiles: [{ name: 'modelled', agent: 'codex', vendor: 'practice', model: 'model-of-the-profile' }],
    });
    const result = await ran({ profile: 'modelled', prompt: 'Say hello.', rule_ids: ['first'] });
    expect(result).toMatchObject({ status: 'SUCCEEDED', composed_prompt: 'Rule one.\n\nSay hello.' });
    await expect
      .poll(async () => (await service.api('GET', '/stats')).json.tokens.by_model)
      .toContainEqual(
        expect.objectContaining({ model: 'model-of-the-profile', input_tokens: result.usage.input_tokens }),
      );
  });

  it('and a missing secret fails the attempt with its name', async () => {
    await imported({ profiles: [{ name: 'lacking', agent: 'shell', env: { A: { secret: 'NOT_SET' } } }] });
    const { state_reason, error } = await ran({ profile: 'lacking', prompt: 'true' });
    expect([state_reason.code, error]).toEqual(['start_failed', expect.stringContaining('NOT_SET')]);
  });

  it('and its concurrency keeps a second job waiting until the first has ended', async () => {
    await imported({ profiles: [{ name: 'single', agent: 'shell', concurrency: 1 }] });
    const gate = join(service.home, 'gate');
    const prompt = `while [ ! -e ${gate} ]; do sleep 0.05; done`;
    const codeOf = async (id: string) => (await service.api('GET', `/jobs/${id}/status`)).json.state_reason.code;
    const first = await createJob(service, { profile: 'single', prompt });
    await waitFor(async () => (await codeOf(first)) === 'running');
    const second = await createJob(service, { profile: 'single', prompt });
    await waitFor(async () => (await codeOf(second)) === 'profile_busy');
    expect((await ran({ profile: 'shell', prompt: 'true' })).status).toBe('SUCCEEDED');
    expect(await codeOf(second)).toBe('profile_busy');
    await writeFile(gate, '');
    for (const id of [first, second]) expect((await untilEnded(service, id)).status).toBe('SUCCEEDED');
  });
});
