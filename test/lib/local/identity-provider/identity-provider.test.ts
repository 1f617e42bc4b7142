import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fetchLocalhost } from '../../../../lib/access/sign-in/localhost-fetch.ts';
import { startIdentityProvider } from '../../../../lib/local/identity-provider/identity-provider.ts';
import { isOwnConnection } from '../../../../lib/local/run-access/connection-owner.ts';

it('tells a connection of its own user from those of other and unknown users', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  expect(await isOwnConnection(socket)).toBe(true);

  const hex = (port = 0) => port.toString(16).toUpperCase().padStart(4, '0');
  const list = async (address: string, uid: number) => {
    const line = `1: ${address}:${hex(socket.remotePort)} ${address}:${hex(socket.localPort)} 01 0:0 0:0 0 ${uid} 0 7`;
    await writeFile(join(folder, 'tcp'), `  sl  local_address rem_address st tx rx tr uid\n   ${line}\n`);
    return await isOwnConnection(socket, [join(folder, 'tcp')]);
  };
  const uid = process.getuid?.() ?? 0;
  expect(await list('0100007F', uid)).toBe(true);
  expect(await list('0000000000000000FFFF00000100007F', uid)).toBe(true);
  expect(await list('0100007F', uid + 1)).toBe(false);
  expect(await list('0200007F', uid)).toBe(false);
  expect(await isOwnConnection(socket, [join(folder, 'none')])).toBe(false);
  client.destroy();
  server.close();
  await rm(folder, { recursive: true });
});

it('asks for the token if its port is forwarded, since a connection then does not identify its user', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = await startIdentityProvider({
    key: { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' },
    clientSecret: 'secret',
    token: 'the-token',
    hostname: 'own.localhost',
    forwardedPort: port,
    log: () => undefined,
  });
  expect(provider.issuer).toBe(`http://own.localhost:${port}`);
  provider.serve('http://127.0.0.1:1');
  const request = new URLSearchParams({
    client_id: provider.clientId,
    redirect_uri: 'http://127.0.0.1:1/auth/callback',
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge: createHash('sha256').update('verifier').digest('base64url'),
    code_challenge_method: 'S256',
  });
  for (const name of ['127.0.0.1', 'localhost', 'other.localhost'])
    expect((await fetchLocalhost(`${provider.issuer.replace('own.localhost', name)}/auth?${request}`)).status).toBe(
      403,
    );
  const begun = await fetchLocalhost(`${provider.issuer}/auth?${request}`, { redirect: 'manual' });
  const page = new URL(begun.headers.get('location') ?? '', provider.issuer);
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const choose = async (form: Record<string, string>) => {
    const headers = { cookie, origin: provider.issuer };
    return await fetchLocalhost(page, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });
  };
  expect(await (await fetchLocalhost(page, { headers: { cookie } })).text()).toContain('type="password" name="token"');
  for (const form of [
    { role: 'admin', token: '' },
    { role: 'admin', token: 'another' },
    { role: 'root', token: 'the-token' },
  ])
    expect((await choose(form)).status).toBe(403);
  expect((await choose({ role: 'admin', token: ' the-token ' })).status).toBe(303);
  await provider.close();
});
