import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emulatorBinary } from '../../../../../lib/local/emulators/dynamodb/emulator-binary.ts';
import packageJson from '../../../../../package.json' with { type: 'json' };

const VERSION = packageJson.optionalDependencies['@dynoxide/linux-x64'];

let folder: string;
const logged: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  logged.length = 0;
  await mkdir(join(folder, 'bin'));
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  vi.stubEnv('PATH', `${join(folder, 'bin')}:/usr/bin:/bin`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Another program of npm's name, which notes what it was started with. */
async function npmThat(does: string): Promise<void> {
  const script = `#!/bin/sh\necho "$@" >> ${folder}/calls\n${does}\n`;
  await writeFile(join(folder, 'bin', 'npm'), script, { mode: 0o755 });
}
const binaryFor = async (platform: string) => {
  vi.stubEnv('PROMPTQ_PLATFORM', platform);
  return await emulatorBinary((line) => logged.push(line));
};
const INSTALLS =
  'mkdir -p node_modules/@dynoxide/linux-arm64 && echo binary > node_modules/@dynoxide/linux-arm64/dynoxide';

test('a missing emulator is fetched once, without temporary files left', async () => {
  await npmThat(INSTALLS);
  const cached = join(folder, 'cache', 'promptq', `dynoxide-${VERSION}-linux-arm64`);
  const binary = join(cached, 'node_modules', '@dynoxide', 'linux-arm64', 'dynoxide');
  expect([await binaryFor('linux-arm64'), await binaryFor('linux-arm64')]).toEqual([binary, binary]);
  expect(await readFile(binary, 'utf8')).toBe('binary\n');
  expect(logged).toEqual([`fetching the DynamoDB emulator for linux-arm64 into ${cached}, once (about 10 MB)`]);
  // Nothing that a package brings is run.
  const flags = 'install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error';
  expect(await readFile(join(folder, 'calls'), 'utf8')).toBe(`${flags} @dynoxide/linux-arm64@${VERSION}\n`);
  expect(await readdir(join(folder, 'cache', 'promptq'))).toEqual([`dynoxide-${VERSION}-linux-arm64`]);
  expect((await stat(join(folder, 'cache', 'promptq'))).mode & 0o777).toBe(0o700);
});

test('the error for a platform without an emulator names the supported platforms and an alternative', async () => {
  await npmThat(INSTALLS);
  await expect(binaryFor('linux-riscv64')).rejects.toThrow(
    /^there is no DynamoDB emulator for linux-riscv64, only for linux-x64, linux-arm64, darwin-arm64, darwin-x64\. Or start/,
  );
});

test('a fetch that fails says why, and leaves nothing', async () => {
  await npmThat('echo npm error code E404 >&2; echo npm error 404 Not Found >&2; exit 1');
  await expect(binaryFor('linux-arm64')).rejects.toThrow('is not installed: 404 Not Found. The first start needs npm');
  expect(await readdir(join(folder, 'cache', 'promptq'))).toEqual([]);
});
