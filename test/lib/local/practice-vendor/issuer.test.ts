import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPracticeVendor } from '../../../../lib/local/practice-vendor/practice-vendor.ts';

async function start(loginsFile?: string) {
  const vendor = await startPracticeVendor({ loginsFile });
  onTestFinished(() => vendor.close());
  const { origin } = new URL(vendor.baseUrl);
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: (await answer.json()) as Record<string, string> };
  };
  const decide = async (user_code: string, decision: string) =>
    await fetch(`${origin}/codex/device`, { method: 'POST', body: new URLSearchParams({ user_code, decision }) });
  const models = async (token: string) =>
    (await fetch(`${vendor.baseUrl}/models`, { headers: { authorization: `Bearer ${token}` } })).status;
  return { vendor, origin, post, decide, models };
}

type Issuer = Awaited<ReturnType<typeof start>>;

async function logIn({ post, decide }: Issuer) {
  const { json: device } = await post('/api/accounts/deviceauth/usercode', {});
  await decide(device.user_code ?? '', 'approve');
  const { json: approved } = await post('/api/accounts/deviceauth/token', device);
  const { json } = await post('/oauth/token', {
    grant_type: 'authorization_code',
    code: approved.authorization_code,
  });
  return json;
}

const refresh = (refresh_token: string | undefined) => ({ grant_type: 'refresh_token', refresh_token });

test('a code waits for a decision, and is valid once', async () => {
  const { post, decide } = await start();
  const { json: device } = await post('/api/accounts/deviceauth/usercode', {});
  expect((await post('/api/accounts/deviceauth/token', device)).status).toBe(403);
  expect((await decide('NONE-00000', 'approve')).status).toBe(404);
  expect((await decide(` ${device.user_code?.toLowerCase()} `, 'deny')).status).toBe(200);
  expect((await decide(device.user_code ?? '', 'approve')).status).toBe(404);
  expect((await post('/api/accounts/deviceauth/token', device)).status).toBe(400);
});

test('a refresh token serves once, as the real one does', async () => {
  const issuer = await start();
  const login = await logIn(issuer);
  expect((await issuer.post('/oauth/token', refresh(login.refresh_token))).status).toBe(200);
  expect(await issuer.post('/oauth/token', refresh(login.refresh_token))).toMatchObject({
    status: 401,
    json: { error: { code: 'refresh_token_reused' } },
  });
});

test('the model answers a client with a login until it is revoked', async () => {
  const issuer = await start();
  const { access_token = '', refresh_token } = await logIn(issuer);
  expect([await issuer.models(access_token), await issuer.models('stranger')]).toEqual([200, 401]);
  await issuer.post('/oauth/revoke', { token: refresh_token });
  expect(await issuer.models(access_token)).toBe(401);
});

test('a login outlives a restart, and its file holds no token and no code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-issuer-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'logins.json');
  const first = await start(file);
  const login = await logIn(first);
  const again = await start(file);
  expect(await again.models(login.access_token ?? '')).toBe(200);
  expect((await again.post('/oauth/token', refresh(login.refresh_token))).status).toBe(200);
  const kept = await readFile(file, 'utf8');
  for (const token of Object.values(login)) expect(kept).not.toContain(token);
});

test('its settings require the key', async () => {
  const { origin } = await start();
  expect((await fetch(`${origin}/practice/issuer`)).status).toBe(401);
});
