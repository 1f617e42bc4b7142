import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { beforeAll, expect, it, test } from 'vitest';
import { recordArchive } from '../../../lib/jobs/record/record-archive.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

/** The files of an archive by its directory, in its order. */
function unzipped(zip: Buffer): Map<string, Buffer> {
  const end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(0x06054b50);
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [size, nameLength] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    files.set(name, inflateRawSync(zip.subarray(start, start + size)));
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}

async function recordOf(id: string): Promise<{ files: Map<string, Buffer>; manifest: Manifest }> {
  const response = await fetch(`${service.baseUrl}/api/v1/jobs/${id}/record`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const files = unzipped(Buffer.from(await response.arrayBuffer()));
  return { files, manifest: JSON.parse(String(files.get('manifest.json'))) };
}

interface Manifest {
  readonly complete: boolean;
  readonly parts: readonly { name: string; path?: string; bytes: number; sha256: string; state?: string }[];
  readonly left_out: readonly Record<string, unknown>[];
}

const HOSTILE = [
  '.git/config',
  'CON',
  'a\tb',
  '-rf',
  'Readme',
  'README',
  '~',
  'x..y',
  '%2e%2e%2f',
  "quote'",
  'ü\u202Egpj.exe',
];

it('has all that is kept of every attempt, with names that are harmless', async () => {
  const files = HOSTILE.map((path) => `mkdir -p "$(dirname -- ${sh(path)})"; echo ${sh(path)} > ./${sh(path)}`).join(
    '; ',
  );
  const prompt = `echo out; echo err >&2; echo kept > b.txt; cd "$PROMPTQ_ATTACHMENTS"; ${files}; exit 1`;
  const id = await createJob(service, { profile: 'shell', project: 'records', prompt, retries: 1, title: 'Recorded' });
  await untilEnded(service, id);
  const { files: parts, manifest } = await recordOf(id);
  expect(JSON.parse(String(parts.get('job.json')))).toMatchObject({ id, prompt, title: 'Recorded', attempt: 2 });
  for (const attempt of [1, 2]) {
    expect(String(parts.get(`attempts/${attempt}/stdout.log`))).toBe('out\n');
    expect(String(parts.get(`attempts/${attempt}/stderr.log`))).toBe('err\n');
    expect(JSON.parse(String(parts.get(`attempts/${attempt}/receipt.json`)))).toMatchObject({ attempt });
    expect(String(parts.get(`attempts/${attempt}/files/000001-b.txt`))).toBe('kept\n');
  }
  expect([manifest.complete, manifest.left_out]).toEqual([true, []]);
  expect([...parts.keys()].at(-1)).toBe('manifest.json');
  expect(manifest.parts.map(({ name }) => name)).toEqual([...parts.keys()].slice(0, -1));
  for (const { name, bytes, sha256, state } of manifest.parts) {
    const content = parts.get(name) ?? Buffer.alloc(0);
    expect([name, content.length, createHash('sha256').update(content).digest('hex'), undefined]).toEqual([
      ...[name, bytes, sha256, state],
    ]);
    expect(name).toMatch(/^[A-Za-z\d][\w-]*(?:\.[\w-]+)*(?:\/[A-Za-z\d][\w-]*(?:\.[\w-]+)*)*$/);
  }
  const folded = [...parts.keys()].map((name) => name.toLowerCase());
  expect(new Set(folded).size).toBe(folded.length);
  const listed = (await service.api('GET', `/jobs/${id}/attachments`)).json.items.map(
    ({ path }: { path: string }) => path,
  );
  const named = manifest.parts.flatMap(({ name, path }) => (name.startsWith('attempts/2/attachments/') ? [path] : []));
  expect(named).toEqual(listed);
  expect(listed.length).toBeGreaterThan(HOSTILE.length / 2);
});

const sh = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

it('says what is gone, and leaves out what was deleted', async () => {
  const prompt = 'echo 1 > "$PROMPTQ_ATTACHMENTS/a.txt"; echo 2 > "$PROMPTQ_ATTACHMENTS/b.txt"';
  const id = await createJob(service, { profile: 'shell', project: 'records', prompt });
  await untilEnded(service, id);
  await service.api('POST', `/jobs/${id}/delete-output`, {});
  const { files, manifest } = await recordOf(id);
  expect([...files.keys()]).toEqual(['README.txt', 'job.json', 'messages.json', 'questions.json', 'manifest.json']);
  expect(manifest).toMatchObject({ complete: true });
});

test('a part that does not fit is left out with its address, and one that is altered is marked', async () => {
  async function* parts() {
    yield { name: 'large', size: 11, address: '/large', read: () => bytes('x'.repeat(11)) };
    yield { name: 'altered', size: 1, sha256: 'another', read: () => bytes('y') };
  }
  const archive = recordArchive(parts(), { head: { format: 1 }, limit: 10, date: new Date() });
  const files = unzipped(Buffer.concat(await Array.fromAsync(archive)));
  expect(JSON.parse(String(files.get('manifest.json')))).toMatchObject({
    ...{ format: 1, complete: false },
    parts: [{ name: 'altered', state: 'corrupt' }],
    left_out: [{ name: 'large', reason: 'too_large', read_at: '/large' }],
  });
});

test('an archive whose store fails ends as an error, and is no zip file', async () => {
  async function* parts() {
    yield { name: 'first', read: () => bytes('x') };
    yield { name: 'second', read: () => failing() };
  }
  const received: Buffer[] = [];
  const read = async () => {
    for await (const chunk of recordArchive(parts(), { head: {}, limit: 1e6, date: new Date() })) received.push(chunk);
  };
  await expect(read()).rejects.toThrow('the store is away');
  expect(Buffer.concat(received).includes('PK\u0005\u0006')).toBe(false);
});

async function* bytes(text: string) {
  yield Buffer.from(text);
}

async function* failing() {
  yield Buffer.from('half');
  throw new Error('the store is away');
}
