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
const handler = (flags: string, state = 'enabled') => `${state}\ninterpreter /usr/bin/qemu-aarch64\nflags: ${flags}\n`;

describe('an image for another architecture than that of Docker', () => {
  test("can't be built without an emulator, and both solutions are named", async () => {
    const [, image] = await checkDocker(docker(), 'arm64', await machine('linux/amd64*, linux/386'));
    expect(image).toMatchObject({ check: 'image', state: 'fault' });
    expect(image?.message).toContain('exec format error');
    expect(image?.advice).toContain('docker run --privileged --rm tonistiigi/binfmt --install arm64');
    expect(image?.advice).toContain('"workerArchitecture": "x86_64"');
  });

  test.each([
    ['Docker lists it', 'linux/amd64*, linux/arm64', undefined],
    ['the kernel has a handler that containers can use', 'linux/amd64', handler('POCF')],
  ])('can be built if %s', async (_, platforms, text) => {
    const [, image] = await checkDocker(docker(), 'arm64', await machine(platforms, text));
    expect(image).toEqual({
      check: 'image',
      state: 'ok',
      message: 'built for linux/arm64 by emulation on linux/amd64',
    });
  });

  test.each([
    ['looks for its emulator in each container (no flag F)', handler('POC')],
    ['is switched off', handler('POCF', 'disabled')],
  ])("can't be built if the handler %s", async (_, text) => {
    const [, image] = await checkDocker(docker(), 'arm64', await machine('linux/amd64', text));
    expect(image?.state).toBe('fault');
  });

  test('is not needed for x86_64', async () => {
    const [, image] = await checkDocker(docker(), 'x86_64', await machine('linux/amd64'));
    expect(image?.state).toBe('ok');
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

  test('builds for its own platform', async () => {
    expect(await look(isArm, '*) echo "Platforms: linux/386";;')).toEqual([
      ['ok docker: runs on linux/arm64', ''],
      ["ok image: built for linux/arm64, which is Docker's own platform", ''],
    ]);
  });

  test('that does not run, or has no BuildKit, is a fault with advice', async () => {
    expect(await look('*) echo "Is it running?" >&2; exit 1;;')).toEqual([
      ['fault docker: Is it running?', expect.stringMatching(/^Start Docker/)],
    ]);
    expect(await look(isArm, '*) echo "no buildx" >&2; exit 1;;')).toEqual([
      ['ok docker: runs on linux/arm64', ''],
      ['fault image: BuildKit is not usable: no buildx', expect.stringContaining('docker-buildx-plugin')],
    ]);
  });

  test('that is missing is to be installed', async () => {
    expect(await checkDocker('promptq-unheard-of', 'arm64', '/nowhere')).toMatchObject([
      {
        ...{ check: 'docker', state: 'fault', message: 'there is no command `promptq-unheard-of`' },
        advice: expect.stringMatching(/^Install Docker: /),
      },
    ]);
  });

  test('may list its platforms on several lines', async () => {
    const [, [image] = []] = await look(
      'version) echo linux/amd64;;',
      '*) printf "Platforms: linux/amd64*\\nPlatforms: linux/386, linux/arm64*\\n";;',
    );
    expect(image).toBe('ok image: built for linux/arm64 by emulation on linux/amd64');
  });

  test("workers of x86_64 on another machine need that one's emulator", async () => {
    await look(isArm, '*) echo "Platforms: linux/arm64";;');
    const [, image] = await checkDocker(docker(), 'x86_64', '/nowhere');
    expect(image?.message).toContain(
      "workers are x86_64, and Docker on linux/arm64 doesn't run programs for linux/amd64",
    );
    expect(image?.advice).toContain('binfmt --install amd64`, or set "workerArchitecture": "arm64"');
    const binfmt = await mkdtemp(join(folder, 'binfmt-'));
    await writeFile(join(binfmt, 'qemu-x86_64'), handler('POCF'));
    const [, emulated] = await checkDocker(docker(), 'x86_64', binfmt);
    expect(emulated?.message).toBe('built for linux/amd64 by emulation on linux/arm64');
  });
});
