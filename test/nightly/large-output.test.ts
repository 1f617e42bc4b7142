import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { findWorker } from '../local-run/marked-processes.ts';

const MEBIBYTE = 1024 * 1024;
const LARGEST_RESIDENT = 400 * MEBIBYTE;

/** On each commit 30 MB are read, and no memory is measured: `attachments.test.ts`. */
let service: OwnService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

/** The most memory that a process has ever had resident, in bytes. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Follows the redirect as a client would, and takes in stdout without keeping it: its length and hash. */
async function readStdout(path: string): Promise<{ bytes: number; sha256: string; redirected: boolean }> {
  const headers = { authorization: `Bearer ${service.token}` };
  const response = await fetch(`${service.baseUrl}/api/v1${path}`, { headers });
  const hash = createHash('sha256');
  const [begin, end] = ['"stdout":"', '","stderr":"'];
  let text = '';
  let [inside, bytes] = [false, 0];
  const take = (part: string) => {
    const plain: string = JSON.parse(`"${part}"`);
    hash.update(plain);
    bytes += Buffer.byteLength(plain);
  };
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (!inside && text.includes(begin)) {
      inside = true;
      text = text.slice(text.indexOf(begin) + begin.length);
    }
    if (!inside) continue;
    const at = text.indexOf(end);
    // Neither the end mark nor an escape may be cut.
    const whole = text.length - end.length;
    const escapeAt = text.indexOf('\\', whole - 6);
    const upTo = at >= 0 ? at : escapeAt >= 0 && escapeAt < whole ? escapeAt : whole;
    if (upTo <= 0) continue;
    take(text.slice(0, upTo));
    text = text.slice(upTo);
    inside = at < 0;
  }
  return { bytes, sha256: hash.digest('hex'), redirected: response.redirected };
}

it('150 MiB of output are returned completely, with bounded memory', async () => {
  const line = '0123456789 abcdefghijklmnopqrstuvwxyz';
  const bytes = 150 * MEBIBYTE;
  const id = await createJob(service, { prompt: `yes '${line}' | head -c ${bytes}`, profile: 'shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const whole = createHash('sha256');
  const block = Buffer.from(`${line}\n`.repeat(10_000));
  for (let left = bytes; left > 0; left -= block.length) whole.update(block.subarray(0, Math.min(left, block.length)));

  expect(await readStdout(`/jobs/${id}/result?full=1`)).toEqual({
    bytes,
    sha256: whole.digest('hex'),
    redirected: true,
  });
  expect((await service.api('GET', `/jobs/${id}/result`)).json).toMatchObject({
    stdout_bytes: bytes,
    stdout_truncated: true,
  });

  const peaks = { service: peakOf(service.pid), worker: peakOf(await waitFor(() => findWorker(service.home))) };
  console.log(
    `peak resident memory: service ${Math.round(peaks.service / MEBIBYTE)} MiB, worker ${Math.round(peaks.worker / MEBIBYTE)} MiB`,
  );
  expect(peaks.service).toBeLessThan(LARGEST_RESIDENT);
  expect(peaks.worker).toBeLessThan(LARGEST_RESIDENT);
});
