import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedInBrowser } from '../../browser.ts';
import { type ServiceUnderTest, startService } from '../../local-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

/** Where scopes are not enforced, which is the default. */
const NOTE = 'Scopes are not enforced here: this token has full access.';

describe('tokens', () => {
  it('are created, shown once, suspended, resumed and revoked by an administrator, with immediate effect', async () => {
    const admin = await signedInBrowser(service, 'admin');
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
        scopes_enforced: false,
        scopes_note: NOTE,
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
      scopes_enforced: false,
      scopes_note: NOTE,
    });
    expect(list.json.items.find((one: { id: string }) => one.id === id)).toMatchObject({
      state: 'revoked',
      scopes_enforced: false,
      scopes_note: null,
      last_used_at: expect.any(String),
    });
    expect(list.text).not.toContain('pq_');
  });

  it.each([
    [{}, /body\.name: is missing/],
    [{ name: '  ' }, /body\.name: received " {2}"/],
    [{ name: 'a\nb' }, /body\.name: received "a\\nb" .*without control/],
    [{ name: 'a\u202eb' }, /body\.name: received "a\\u202eb" .*without control/],
    [{ name: 'x'.repeat(101) }, /body\.name: received .*at most 100/],
    [{ name: 'x', scopes: [] }, /body\.scopes: /],
    [{ name: 'x', scopes: ['root'] }, /body\.scopes\.?.*root/],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, /body\.expires_at: received 2020-.*expected a time to come/],
    [{ name: 'x', expires_at: 'tomorrow' }, /body\.expires_at: received "tomorrow"/],
    [{ name: 'x', token: 'mine' }, /unknown "token"/],
  ])('are not created from %j', async (body, sentence) => {
    const { status, json } = await (await signedInBrowser(service, 'admin')).api('POST', '/tokens', body);
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
        { required_principal: 'a browser session of an admin' },
      ]);
    }
  });

  it('show when they expire', async () => {
    const admin = await signedInBrowser(service, 'admin');
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { token } = (await admin.api('POST', '/tokens', { name: 'short', expires_at })).json;
    const call = async () => await service.api('GET', '/session', undefined, { authorization: `Bearer ${token}` });
    expect((await call()).json.expires_at).toBe(expires_at);
  });
});
