import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDocker } from '../../../lib/doctor/before-deploy/check-docker.ts';

let folder: string;
const docker = () => join(folder, 'docker');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Docker of an x86-64 Linux machine, which builds for these platforms, and the kernel's handler for arm64 programs. */
async function machine(platforms: string, handler?: string): Promise<string> {
  const script = `#!/bin/sh\ncase "$1" in version) echo linux/amd64;; *) echo "Platforms: ${platforms}";; esac\n`;
  await writeFile(docker(), script);
  await chmod(docker(), 0o755);
  const binfmt = await mkdtemp(join(folder, 'binfmt-'));
  await mkdir(binfmt, { recursive: true });
  if (handler !== undefined) await writeFile(join(binfmt, 'qemu-aarch64'), handler);
  return binfmt;
}

describe('an image for another architecture than that of Docker', () => {
  test("can't be built without an emulator, and both solutions are named", async () => {
    const [, image] = await checkDocker(docker(), 'arm64', await machine('linux/amd64*, linux/386'));
    expect(image).toMatchObject({ check: 'image', state: 'fault' });
    expect(image?.message).toContain('exec format error');
    expect(image?.advice).toContain('docker run --privileged --rm tonistiigi/binfmt --install arm64');
    expect(image?.advice).toContain('"workerArchitecture": "x86_64"');
  });
});

describe('Docker', () => {
  const look = async (...script: readonly string[]) => {
    await writeFile(docker(), ['#!/bin/sh', 'case "$1" in', ...script, 'esac', ''].join('\n'));
    await chmod(docker(), 0o755);
    const found = await checkDocker(docker(), 'arm64', '/nowhere');
    return found.map(({ check, state, message, advice = '' }) => [`${state} ${check}: ${message}`, advice]);
  };
  const isArm = 'version) echo linux/arm64;;';

  test('that does not run, or has no BuildKit, is a fault with advice', async () => {
    expect(await look('*) echo "Is it running?" >&2; exit 1;;')).toEqual([
      ['fault docker: Is it running?', expect.stringMatching(/^Start Docker/)],
    ]);
    expect(await look(isArm, '*) echo "no buildx" >&2; exit 1;;')).toEqual([
      ['ok docker: runs on linux/arm64', ''],
      ['fault image: BuildKit is not usable: no buildx', expect.stringContaining('docker-buildx-plugin')],
    ]);
  });
});
