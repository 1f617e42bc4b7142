import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** The queues that are compared, at exact versions. They are no dependencies of this project. */
const PACKAGES = { bullmq: '6.7.0', ioredis: '6.0.0', 'pg-boss': '12.38.0', 'graphile-worker': '0.18.0' } as const;
export type PeerPackage = keyof typeof PACKAGES;

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/promptq/peers');

/** Installs the packages in a cache folder, without running their scripts. @throws Error if npm can't fetch them */
export async function installPeers(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const packages = JSON.stringify({ private: true, dependencies: PACKAGES });
  await writeFile(join(FOLDER, 'package.json'), packages);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', ['install', ...options], { cwd: FOLDER });
}

/** The module of an installed package. */
export async function loadPeer(name: PeerPackage): Promise<unknown> {
  const path = createRequire(join(FOLDER, 'package.json')).resolve(name);
  return await import(pathToFileURL(path).href);
}

export function versionOf(name: PeerPackage): string {
  return `${name} ${PACKAGES[name]}`;
}
