import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../../local-run/local-service.ts';
import { startGitServer } from '../../../stand-ins/git-server.ts';
import { amount } from '../../../vitest/amount.ts';
import { shareCodex } from '../../../worker-container/service-accounts/shared-codex.ts';
import { createJob, untilEnded } from '../../job-client.ts';
import { ENOUGH, huntingScript, RACING } from './hunting-job.ts';

/** Rounds of other jobs that the service works on while the hunting job races with it. */
const RACED_ROUNDS = amount(2, 8);

/** A value that occurs nowhere else, by the name of the secret that it stands for. */
const planted = (name: string) => `planted-${name.replaceAll(' ', '-')}-${crypto.randomUUID()}`;

/** Plants eight secrets, lets a job try every trick, and returns the names of those that it found. */
export async function hunt(env: Record<string, string>, under: readonly string[] | undefined): Promise<string[]> {
  const loot = await mkdtemp(join(tmpdir(), 'promptq-loot-'));
  await chmod(loot, 0o777);
  const stolen: string[] = [];
  const attacker = createServer((request, response) => {
    stolen.push(
      JSON.stringify(request.headers),
      Buffer.from(String(request.headers.authorization).slice(6), 'base64').toString(),
    );
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
  const secrets = {
    "the worker's environment": planted('environment'),
    "the path of the task's credentials": planted('task path'),
    "a repository's credential": planted('git'),
    "another profile's secret": planted('profile'),
    "another job's file": planted('file'),
    "the emulators' tables": planted('table'),
  };
  const repository = await startGitServer({ credentials: `bot:${secrets["a repository's credential"]}` });
  await repository.commit({ 'README.md': 'one\n', '.gitattributes': '* filter=x diff=x\n' });
  const host = new URL(repository.url).host;
  const codex = await shareCodex();
  const before = await listening();
  const service = await startService({
    env: {
      PROMPTQ_CONCURRENCY: '3',
      PROMPTQ_REPOSITORY_LOOPBACK: '1',
      PROMPTQ_CODEX_BIN: codex.path,
      PROMPTQ_SECRET_ENVIRONMENT: secrets["the worker's environment"],
      // ECS puts the path into the same place: the worker's environment, and nowhere else.
      PROMPTQ_SECRET_TASK_CREDENTIALS: secrets["the path of the task's credentials"],
      PROMPTQ_SECRET_GIT: `http://bot:${secrets["a repository's credential"]}@${host}`,
      PROMPTQ_SECRET_DEPLOYKEY: secrets["another profile's secret"],
      ...env,
    },
    ...(under !== undefined && { under }),
  });
  try {
    // A home is private to its user; a container's folders are not.
    if (under !== undefined) await chmod(service.home, 0o711);
    await linkAccount(service);
    const login = await vendorLogin(service);
    await service.api('POST', '/config/import', {
      profiles: [{ name: 'keyed', agent: 'shell', env: { DEPLOYKEY: { secret: 'DEPLOYKEY' } } }],
    });
    await createJob(service, { prompt: secrets["the emulators' tables"], profile: 'shell', draft: true });
    await createJob(service, { prompt: 'true', project: 'app', draft: true });
    const set = await service.api('PATCH', '/projects/app', { repository: repository.url, secret: 'GIT' });
    expect(set.status, set.text).toBe(200);

    const neighbour = await createJob(service, {
      prompt: `echo '${secrets["another job's file"]}' > own; while [ ! -e gate ]; do sleep 0.1; done`,
      profile: 'keyed',
    });
    const theirs = join(service.home, 'workspaces', 'local_project', neighbour, 'work');
    await waitFor(async () => (await readdir(theirs)).includes('own'));
    const { port } = attacker.address() as AddressInfo;
    const script = huntingScript({
      loot,
      home: service.home,
      neighbour: theirs,
      attacker: `127.0.0.1:${port}`,
      repository: host,
      ports: (await listening()).filter((at) => !before.includes(at) && at !== port),
    });
    const hunter = await createJob(service, { prompt: script, profile: 'shell', project: 'app' });
    const isRacing = () => existsSync(join(loot, RACING));
    await waitFor(isRacing, { timeoutMs: 180_000 });
    // Others work meanwhile: a job of the same project, whose fetch needs the credential, and one in a folder under race.
    for (let round = 0; round < RACED_ROUNDS; round += 1) {
      const commits = `date > file-${round}; git add -A; git commit -qm work; git status --short`;
      const ids = [
        await createJob(service, { prompt: commits, profile: 'keyed', project: 'app' }),
        await createJob(service, {
          prompt: 'pwd > where; ls -la . > seen',
          profile: 'shell',
          project: 'race',
          cwd: 'place',
        }),
      ];
      for (const id of ids) await untilEnded(service, id);
    }
    await writeFile(join(loot, ENOUGH), '');
    const thief = await service.api('POST', '/jobs', {
      prompt: `cat own >> ${loot}/cwd.txt`,
      profile: 'shell',
      cwd: theirs,
    });
    if (thief.status === 201) await untilEnded(service, thief.json.id);
    await untilEnded(service, hunter);
    const result = (await service.api('GET', `/jobs/${hunter}/result`)).json;
    expect(result, JSON.stringify(result)).toMatchObject({
      status: 'SUCCEEDED',
      stdout: expect.stringMatching(/hunted\n$/),
    });
    await service.api('POST', `/jobs/${neighbour}/kill`);
    const found = [await readAll(loot), await attachmentsOf(service, hunter), ...stolen].join('\n');
    const all = { ...secrets, "the vendor's login": login, "the operator's token": service.token };
    return Object.entries(all).flatMap(([name, value]) => (found.includes(value) ? [name] : []));
  } finally {
    // A job that finds the operator's token has put it into its attachments, which the check at the stop reports.
    await service.stop().catch((error: Error) => stolen.push(error.message));
    const folders = [loot, service.home];
    await Promise.all(folders.map(async (folder) => await rm(folder, { recursive: true, force: true })));
    await Promise.all([repository.close(), codex.remove()]);
    attacker.closeAllConnections();
    attacker.close();
  }
}

async function linkAccount(service: ServiceUnderTest): Promise<void> {
  await service.api('POST', '/codex-account/start');
  const login = await waitFor(async () => {
    const { json } = await service.api('GET', '/codex-account');
    return json.state === 'awaiting_user' && json;
  });
  const body = new URLSearchParams({ user_code: login.user_code, decision: 'approve' });
  const approved = await fetch(login.verification_uri, {
    method: 'POST',
    body,
    headers: { origin: new URL(login.verification_uri).origin },
  });
  expect(approved.status).toBeLessThan(400);
  await waitFor(async () => (await service.api('GET', '/codex-account')).json.state === 'linked');
}

/** The secret parts of the linked login. */
async function vendorLogin({ home }: ServiceUnderTest): Promise<string> {
  const folder = join(home, 'account', 'practice', 'codex');
  const [file = ''] = await readdir(folder);
  const text = await readFile(join(folder, file), 'utf8');
  const token = /"refresh_token":\s*"([^"]+)"/.exec(text.replaceAll('\\"', '"'))?.[1];
  if (token === undefined) throw new Error('the login holds no refresh token');
  return token;
}

/** Open ports of IPv4 loopback. */
async function listening(): Promise<number[]> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.flatMap((line) => {
    const port = /^\s*\d+: 0100007F:([0-9A-F]{4}) \S+ 0A /.exec(line)?.[1];
    return port === undefined ? [] : [Number.parseInt(port, 16)];
  });
}

async function readAll(folder: string): Promise<string> {
  const names = await readdir(folder);
  const texts = await Promise.all(
    names.map(async (name) => await readFile(join(folder, name), 'latin1').catch(() => '')),
  );
  return texts.join('\n');
}

async function attachmentsOf(service: ServiceUnderTest, id: string): Promise<string> {
  const { json } = await service.api('GET', `/jobs/${id}/attachments`);
  const texts = await Promise.all(
    json.items.map(
      async ({ name }: { name: string }) =>
        (await service.api('GET', `/jobs/${id}/attachments/${encodeURIComponent(name)}`).catch(String)) as unknown,
    ),
  );
  return JSON.stringify(texts);
}
