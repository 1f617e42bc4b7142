import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withOperatorRegistry } from '../../../lib/local/operator/operator-registry.ts';
import { Browser, signedInBrowser } from '../../local-run/browser.ts';
import { type OwnService, startService } from '../../local-run/local-service.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

/** Deletes the cookie of a finished sign-in. */
const SERVED = /^promptq-sign-in-\d+=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/;

describe('signing in', () => {
  it.each(['viewer', 'operator', 'admin'] as const)(
    'as %s returns to the page that it came from, with that role',
    async (role) => {
      const browser = new Browser(service);
      const answer = await browser.signIn(role, '/auth/sign-in?return_to=/jobs/x%3Fa=1');
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/jobs/x?a=1']);
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(SERVED),
        expect.stringMatching(/^promptq=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/),
      ]);
      const { status, json } = await browser.api('GET', '/session');
      expect([status, json]).toEqual([
        200,
        {
          kind: 'session',
          name: `user:${role}@promptq.local`,
          email: `${role}@promptq.local`,
          role,
          scopes: null,
          scopes_enforced: false,
          scopes_note: null,
          expires_at: expect.stringMatching(/^20\d\d-.*Z$/),
          session_id: expect.stringMatching(/^ses_/),
        },
      ]);
    },
  );

  it('without a role is rejected with a page that explains it, and creates no session', async () => {
    const browser = new Browser(service);
    const answer = await browser.signIn('stranger', '/auth/sign-in?return_to=/stats');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(await answer.text()).toMatch(/You have no role here.*stranger@promptq\.local.*return_to=%2Fstats/s);
    expect((await browser.api('GET', '/session')).status).toBe(401);
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    'evil',
    'javascript:alert(1)',
    '/auth/sign-in',
    '/auth/../auth/sign-out',
    `/${'x'.repeat(2_000)}`,
  ])('does not redirect to %j', async (target) => {
    const browser = new Browser(service);
    const answer = await browser.open(`/auth/sign-in?${new URLSearchParams({ return_to: target })}`);
    expect([answer.status, answer.headers.get('location'), answer.headers.getSetCookie()]).toEqual([400, null, []]);
    expect(await answer.text()).toContain('This link leads elsewhere');
  });

  it('works once: a repeated redirect is rejected, and the session stays', async () => {
    const browser = new Browser(service);
    const back = await browser.chooseRole('viewer');
    expect((await browser.open(back)).status).toBe(303);
    const again = await browser.open(back);
    expect([again.status, again.headers.getSetCookie()]).toEqual([400, []]);
    expect(await again.text()).toContain('This sign-in is over');
    expect((await browser.api('GET', '/session')).status).toBe(200);
  });

  it("works only in the browser that began it, so that an attacker can't sign a victim in to the attacker's account", async () => {
    const attacker = new Browser(service);
    const back = await attacker.chooseRole('viewer');
    const victim = new Browser(service);
    await victim.open('/auth/sign-in');
    for (const browser of [victim, new Browser(service)]) {
      const answer = await browser.open(back);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []]);
    }
    expect((await attacker.open(back)).status).toBe(303);
  });

  it('is rejected with a wrong or missing state', async () => {
    const browser = new Browser(service);
    const back = new URL(await browser.chooseRole('viewer'));
    const other = new URL(back);
    other.searchParams.set('state', 'x'.repeat(43));
    const none = new URL(back);
    none.searchParams.delete('state');
    for (const url of [other, none]) expect((await browser.open(url.href)).status).toBe(400);
    const wrongCode = new URL(back);
    wrongCode.searchParams.set('code', 'wrong');
    const answer = await browser.open(wrongCode.href);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, [expect.stringMatching(SERVED)]]);
    expect((await browser.open(back.href)).status).toBe(400);
  });

  it('stores nothing before the identity provider has answered', async () => {
    const rows = async () =>
      await withOperatorRegistry({ stack: undefined, home: service.home }, async ({ table, registryTable }) => {
        const { Items = [] } = await table.send(new ScanCommand({ TableName: registryTable, ConsistentRead: true }));
        // The run itself writes these meanwhile.
        const own = ['worker', 'lock', 'counter'];
        return Items.filter(({ kind }) => !own.includes(kind)).map(({ kind, id }) => `${kind} ${id}`);
      });
    const before = await rows();
    for (let count = 0; count < 30; count++) {
      const answer = await new Browser(service).open('/auth/sign-in');
      expect([answer.status, answer.headers.getSetCookie().length]).toEqual([303, 1]);
    }
    expect(await rows()).toEqual(before);
  });

  it('shows the reason if the identity provider rejects it', async () => {
    const browser = new Browser(service);
    const toProvider = new URL(await browser.begin());
    const state = toProvider.searchParams.get('state') ?? '';
    const query = new URLSearchParams({
      error: 'access_denied',
      error_description: 'not <b>today</b>',
      state,
      iss: toProvider.origin,
    });
    const answer = await browser.open(`/auth/callback?${query}`);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('It says: not &#60;b&#62;today');
  });

  it('works in two tabs of a browser at the same time, and the later session replaces the earlier', async () => {
    const browser = new Browser(service);
    const first = await browser.begin();
    const second = await browser.begin();
    expect((await browser.open(await browser.chooseRole('viewer', first))).status).toBe(303);
    const before = new Map(browser.ownCookies);
    expect((await browser.open(await browser.chooseRole('admin', second))).status).toBe(303);
    expect((await browser.api('GET', '/session')).json.role).toBe('admin');
    const cookie = `promptq=${before.get('promptq')}`;
    expect((await new Browser(service).api('GET', '/session', undefined, { cookie })).status).toBe(401);
  });

  it('under another name of loopback continues under the name that cookies are set for', async () => {
    const { port } = new URL(service.baseUrl);
    for (const name of ['localhost', '127.0.0.1']) {
      const answer = await new Browser(service).open(`http://${name}:${port}/auth/sign-in?return_to=/jobs`);
      expect([answer.status, answer.headers.get('location')]).toEqual([
        302,
        `${service.consoleUrl}/auth/sign-in?return_to=/jobs`,
      ]);
    }
  });

  it('uses a separate page for the identity provider', async () => {
    const browser = new Browser(service);
    const page = browser.follow(await browser.open(await browser.begin()));
    const choose = async (headers: Record<string, string>, by = browser) =>
      await by.open(page, { method: 'POST', body: new URLSearchParams({ role: 'admin' }), headers });
    expect((await choose({ origin: 'http://127.0.0.1:1' })).status).toBe(403);
    expect((await choose({})).status).toBe(403);
    const stranger = await choose({ origin: new URL(page).origin }, new Browser(service));
    expect([stranger.status, stranger.headers.get('location')]).toEqual([303, `${service.consoleUrl}/auth/sign-in`]);
  });

  it("its pages can't be framed, contain no script, and are not cached", async () => {
    const browser = new Browser(service);
    const page = browser.follow(await browser.open(await browser.begin()));
    for (const target of ['/auth/signed-out', '/auth/sign-in?return_to=x', page]) {
      const { headers } = await browser.open(target);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
      );
      expect([headers.get('x-frame-options'), headers.get('cache-control')]).toEqual(['DENY', 'no-store']);
    }
  });
});

it('where scopes are not enforced, each token is shown with the note that it has full access', async () => {
  const admin = await signedInBrowser(service, 'admin');
  const note = { scopes_enforced: false, scopes_note: 'Scopes are not enforced here: this token has full access.' };
  const { json: made } = await admin.api('POST', '/tokens', { name: 'a note', scopes: ['read'] });
  expect(made).toMatchObject(note);
  const { json: list } = await admin.api('GET', '/tokens');
  expect(list.items.find(({ id }: { id: string }) => id === made.id)).toMatchObject(note);
  expect((await service.api('GET', '/session')).json).toMatchObject(note);
  await admin.api('POST', `/tokens/${made.id}/revoke`);
  const { json: after } = await admin.api('GET', '/tokens');
  expect(after.items.find(({ id }: { id: string }) => id === made.id)).toMatchObject({ ...note, scopes_note: null });
});
