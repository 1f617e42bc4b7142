import { beforeAll, describe, expect, it } from 'vitest';
import { Browser, signedInBrowser } from '../../local-run/browser.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const DRAFT = { prompt: 'true', profile: 'shell', draft: true };

describe('a session', () => {
  it.each([
    ['viewer', [200, 200, 403, 403]],
    ['operator', [200, 200, 201, 403]],
    ['admin', [200, 200, 201, 200]],
  ] as const)('of a %s has the rights of that role', async (role, expected) => {
    const browser = await signedInBrowser(service, role);
    const answers = [
      await browser.api('GET', '/jobs'),
      await browser.api('GET', '/openapi.json'),
      await browser.api('POST', '/jobs', DRAFT),
      await browser.api('GET', '/tokens'),
    ];
    expect(answers.map(({ status }) => status)).toEqual(expected);
    if (role === 'viewer')
      expect(answers[2]?.json).toMatchObject({ error: 'forbidden', details: { required_scope: 'write' } });
    if (role !== 'admin') {
      const details = { required_principal: 'a browser session of an admin', required_scope: 'admin' };
      expect(answers[3]?.json).toMatchObject({ error: 'forbidden', details });
    }
  });

  it("can't change anything from another origin, or without one", async () => {
    const browser = await signedInBrowser(service, 'admin');
    for (const origin of ['https://evil.example', 'null', `${service.consoleUrl}.evil.example`, '']) {
      const { status, json } = await browser.api('POST', '/jobs', DRAFT, { origin });
      expect([origin, status, json.error]).toEqual([origin, 403, 'forbidden']);
      expect(json.details).toEqual({ required_origin: service.consoleUrl, received_origin: origin || null });
    }
    expect((await browser.api('GET', '/jobs', undefined, { origin: 'https://evil.example' })).status).toBe(200);
    const token = { authorization: `Bearer ${service.token}`, origin: 'https://evil.example' };
    expect((await browser.api('POST', '/jobs', DRAFT, token)).status).toBe(201);
  });

  it("ends with the sign-out, which other sites can't trigger", async () => {
    const browser = await signedInBrowser(service, 'operator');
    const cookie = `promptq=${browser.ownCookies.get('promptq')}`;
    const forged = await browser.open('/auth/sign-out', {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    });
    expect(forged.status).toBe(403);
    expect((await browser.api('GET', '/session')).status).toBe(200);

    const out = await browser.open('/auth/sign-out', { method: 'POST', headers: { origin: service.consoleUrl } });
    expect([out.status, out.headers.get('location')]).toEqual([303, '/auth/signed-out']);
    expect(browser.ownCookies.has('promptq')).toBe(false);
    expect((await new Browser(service).api('GET', '/session', undefined, { cookie })).status).toBe(401);
    expect(await (await browser.open('/auth/signed-out')).text()).toContain('href="/auth/sign-in?fresh=1"');
    const again = await browser.open('/auth/sign-out', { method: 'POST', headers: { origin: service.consoleUrl } });
    expect(again.status).toBe(303);
  });

  it('is listed for administrators, who can end it', async () => {
    const [admin, viewer] = [await signedInBrowser(service, 'admin'), await signedInBrowser(service, 'viewer')];
    const { session_id: id } = (await viewer.api('GET', '/session')).json;
    const { items } = (await admin.api('GET', '/sessions')).json;
    expect(items.find((one: { id: string }) => one.id === id)).toEqual({
      id,
      name: 'user:viewer@promptq.local',
      email: 'viewer@promptq.local',
      role: 'viewer',
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
      browser: null,
      address: '127.0.0.1',
      current: false,
    });
    expect(items.filter((one: { current: boolean }) => one.current)).toHaveLength(1);

    expect((await viewer.api('DELETE', `/sessions/${id}`)).status).toBe(403);
    expect((await service.api('DELETE', `/sessions/${id}`)).status).toBe(403);
    expect((await service.api('GET', '/sessions')).status).toBe(403);
    const ended = await admin.api('DELETE', `/sessions/${id}`);
    expect([ended.status, ended.text]).toEqual([204, '']);
    expect((await viewer.api('GET', '/session')).status).toBe(401);
    expect((await admin.api('DELETE', `/sessions/${id}`)).status).toBe(404);
  });

  it('is shown by GET /session, like a token', async () => {
    expect((await service.api('GET', '/session')).json).toEqual({
      kind: 'token',
      name: 'token:local run',
      email: null,
      role: null,
      scopes: ['read', 'write', 'logs', 'attachments', 'admin'],
      scopes_enforced: true,
      scopes_note: null,
      expires_at: null,
      session_id: null,
    });
    const nobody = await new Browser(service).api('GET', '/session');
    expect([nobody.status, nobody.json.error]).toEqual([401, 'unauthorized']);
  });
});

describe('tokens', () => {
  let admin: Browser;
  beforeAll(async () => {
    admin = await signedInBrowser(service, 'admin');
  });

  it('are created, shown once, suspended, resumed and revoked by an administrator, with immediate effect', async () => {
    const made = await admin.api('POST', '/tokens', { name: ' nightly ', scopes: ['logs', 'read', 'read'] });
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^tok_/),
        token: expect.stringMatching(/^pq_[0-9A-Za-z]{49}$/),
        name: 'nightly',
        scopes: ['read', 'logs'],
        state: 'active',
        created_at: expect.any(String),
        expires_at: null,
        last_used_at: null,
        scopes_enforced: true,
        scopes_note: null,
      },
    ]);
    const { id, token } = made.json;
    const call = async () =>
      (await service.api('GET', '/session', undefined, { authorization: `Bearer ${token}` })).status;
    const change = async (verb: string) => {
      const { status, json } = await admin.api('POST', `/tokens/${id}/${verb}`);
      return [status, json.state ?? json.error];
    };
    expect(await call()).toBe(200);
    expect(await change('suspend')).toEqual([200, 'suspended']);
    expect(await call()).toBe(401);
    expect(await change('resume')).toEqual([200, 'active']);
    expect(await call()).toBe(200);
    expect(await change('revoke')).toEqual([200, 'revoked']);
    expect(await call()).toBe(401);
    expect(await change('revoke')).toEqual([200, 'revoked']);
    expect(await change('resume')).toEqual([400, expect.stringContaining('is revoked permanently')]);
    const unknown = await admin.api('POST', '/tokens/tok_none/suspend');
    expect([unknown.status, unknown.json.error]).toEqual([404, 'not_found']);

    const list = await admin.api('GET', '/tokens');
    expect(list.json.items.find((one: { state: string }) => one.state === 'active')).toMatchObject({
      scopes_enforced: true,
      scopes_note: null,
    });
    expect(list.json.items.find((one: { id: string }) => one.id === id)).toMatchObject({
      state: 'revoked',
      scopes_enforced: true,
      scopes_note: null,
      last_used_at: expect.any(String),
    });
    expect(list.text).not.toContain('pq_');
  });

  it.each([
    [{}, /body\.name: is missing/],
    [{ name: '  ' }, /body\.name: received " {2}"/],
    [{ name: 'a\u202eb' }, /body\.name: received "a\\u202eb" .*without control/],
    [{ name: 'x', scopes: ['root'] }, /body\.scopes\.?.*root/],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, /body\.expires_at: received 2020-.*expected a time to come/],
  ])('are not created from %j', async (body, sentence) => {
    const { status, json } = await admin.api('POST', '/tokens', body);
    expect([status, json.error]).toEqual([400, expect.stringMatching(sentence)]);
  });

  it("can't be managed by tokens of any scope", async () => {
    for (const [method, path] of [
      ['GET', '/tokens'],
      ['POST', '/tokens'],
      ['POST', '/tokens/tok_x/suspend'],
      ['POST', '/tokens/tok_x/resume'],
      ['POST', '/tokens/tok_x/revoke'],
    ] as const) {
      const { status, json } = await service.api(method, path);
      expect([path, status, json.details]).toEqual([
        path,
        403,
        { required_principal: 'a browser session of an admin', required_scope: 'admin' },
      ]);
    }
  });
});
