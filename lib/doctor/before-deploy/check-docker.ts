import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deployment } from '../../platform/config/deployment.ts';
import { type Finding, fault, inWords, ok } from '../finding.ts';
import { CommandError, run } from './command.ts';

type Architecture = Deployment['workerArchitecture'];

/** Names of an architecture: Docker's, and the kernel's for its binary format handler. */
const ARCHITECTURES: Readonly<Record<Architecture, { readonly docker: string; readonly handler: string }>> = {
  arm64: { docker: 'arm64', handler: 'qemu-aarch64' },
  x86_64: { docker: 'amd64', handler: 'qemu-x86_64' },
};

const BINFMT_FOLDER = '/proc/sys/fs/binfmt_misc';

/**
 * Checks that Docker runs, and can build the worker's image for the workers' architecture.
 * @param docker the CDK's build program
 */
export async function checkDocker(
  docker: string,
  architecture: Architecture,
  binfmtFolder = BINFMT_FOLDER,
): Promise<Finding[]> {
  let platform: string;
  try {
    platform = (await run(docker, ['version', '--format', '{{.Server.Os}}/{{.Server.Arch}}'])).trim();
  } catch (error) {
    const isMissing = error instanceof CommandError && error.isMissing;
    const advice = isMissing
      ? "Install Docker: https://docs.docker.com/get-docker. It builds the worker's image."
      : 'Start Docker, or let this user reach it: `docker version` must show a server.';
    return [fault('docker', inWords(error), advice)];
  }
  const running = ok('docker', `runs on ${platform}`);
  let inspected: string;
  try {
    inspected = await run(docker, ['buildx', 'inspect']);
  } catch (error) {
    const advice =
      "Install Docker's plugin buildx (package docker-buildx-plugin): the worker's Dockerfile needs BuildKit.";
    return [running, fault('image', `BuildKit is not usable: ${inWords(error)}`, advice)];
  }
  const driver = /^Driver:\s*(\S+)/m.exec(inspected)?.[1];
  if (driver !== undefined && driver !== 'docker')
    return [
      running,
      fault(
        'image',
        `the selected builder has the driver ${driver}, which keeps the image to itself: the deployment fails with "No such image"`,
        '`docker buildx use default`, or `export BUILDX_BUILDER=default`.',
      ),
    ];
  const { docker: name, handler } = ARCHITECTURES[architecture];
  const wanted = `linux/${name}`;
  if (platform === wanted) return [running, ok('image', `built for ${wanted}, which is Docker's own platform`)];
  // A handler installed after Docker's start is in the kernel's list, but not yet in Docker's.
  if (platformsOf(inspected).includes(wanted) || (await isHandled(join(binfmtFolder, handler))))
    return [running, ok('image', `built for ${wanted} by emulation on ${platform}`)];
  const other: Architecture = architecture === 'arm64' ? 'x86_64' : 'arm64';
  return [
    running,
    fault(
      'image',
      `workers are ${architecture}, and Docker on ${platform} doesn't run programs for ${wanted} (\`exec format error\`)`,
      `\`docker run --privileged --rm tonistiigi/binfmt --install ${name}\`, or set "workerArchitecture": "${other}".`,
    ),
  ];
}

function platformsOf(inspected: string): string[] {
  const lists = [...inspected.matchAll(/^\s*Platforms:\s*(.+)$/gm)].map((match) => match[1] ?? '');
  return lists.flatMap((list) => list.split(',').map((one) => one.trim().replace(/\*$/, '')));
}

/** Whether the kernel emulates such programs inside containers too (flag F: the emulator is opened at registration). */
async function isHandled(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^enabled$/m.test(text) && /^flags:.*F/m.test(text);
}
