import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isOwnConnection } from '../../../../lib/local/run-access/connection-owner.ts';
import { isLinux } from '../../../../lib/platform/platform-name.ts';

const SOCKET = { localPort: 0x1f90, remotePort: 0xc350 };
const OWN = 1_234;
const IPV6 = '0000000000000000FFFF0000';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A line of Linux's list: by default of the other end of `SOCKET`. */
const lineOf = ({ local = '0100007F:C350', remote = '0100007F:1F90', uid = OWN, inode = '55' }) =>
  `   1: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1`;

async function isOwn(...lines: readonly string[]): Promise<boolean> {
  vi.spyOn(process, 'getuid').mockReturnValue(OWN);
  const list = join(folder, 'tcp');
  await writeFile(list, ['  sl  local_address rem_address   st', ...lines, ''].join('\n'));
  return await isOwnConnection(SOCKET, [join(folder, 'none'), list]);
}

test.skipIf(!isLinux())(
  'the other end of a connection counts if it is of this user or of root, and still open',
  async () => {
    expect(await isOwn(lineOf({}))).toBe(true);
    expect(await isOwn(lineOf({ uid: 0 }))).toBe(true);
    expect(await isOwn(lineOf({ local: `${IPV6}0100007F:C350`, remote: `${IPV6}0100007F:1F90` }))).toBe(true);
    expect(await isOwn(lineOf({ uid: OWN + 1 }))).toBe(false);
    expect(await isOwn(lineOf({ uid: 0, inode: '0' }))).toBe(false);
    expect(await isOwn(lineOf({ local: '0100007F:1F90', remote: '0100007F:C350' }))).toBe(false);
    expect(await isOwn(lineOf({ local: '0100000A:C350', remote: '0100000A:1F90' }))).toBe(false);
    expect(await isOwn(lineOf({ local: '0100007F:C351' }), lineOf({ remote: '0100007F:1F91' }))).toBe(false);
    expect(await isOwn()).toBe(false);
  },
);

test('on a system without such lists, no connection counts', async () => {
  vi.stubEnv('PROMPTQ_PLATFORM', 'darwin-arm64');
  expect(await isOwn(lineOf({}))).toBe(false);
});
