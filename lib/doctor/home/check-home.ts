import { existsSync } from 'node:fs';
import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { openFilesLimit, tooFewFiles } from '../../local/emulators/open-files.ts';
import { jobSurroundings } from '../../local/program/job-surroundings.ts';
import { foundAbove } from '../../local/run/default-home.ts';
import { Home, type LocalInfo, type OperatorInfo } from '../../local/run/home.ts';
import { HomeError } from '../../local/run/home-error.ts';
import { secretPlaces } from '../../platform/config/secrets-path.ts';
import { probeDisk } from '../../platform/operations/probe-disk.ts';
import { counted, type Finding, fault, ok, warning } from '../finding.ts';
import { type NamedSecret, namedBy } from '../stores/named-secrets.ts';

/** Files that hold a credential or lead to one. */
const PRIVATE_FILES = ['local.json', 'operator.json', 'token', 'secrets.env'] as const;

const DAY_MS = 86_400_000;

/** Bytes; with less free space, output may not fit on the disk. */
const MIN_FREE_BYTES = 1024 ** 3;

/** The entry of a running service of this home. */
interface RunningHome {
  readonly info: LocalInfo;
  readonly operator: OperatorInfo | undefined;
}

/** Checks the folder of a local run, and whether a service runs on it. Creates nothing. */
export async function checkHome(given: string): Promise<{ findings: Finding[]; running: RunningHome | undefined }> {
  const path = resolve(given);
  if (!existsSync(join(path, 'dynamodb'))) {
    const advice = 'Start one with `npm start`, or say which with PROMPTQ_HOME or --home.';
    return { findings: [fault('home', `${path} is no home of a local run`, advice)], running: undefined };
  }
  const home = await Home.open(path).catch((error: unknown) => {
    if (error instanceof HomeError) return error;
    throw error;
  });
  if (home instanceof HomeError) {
    const advice = 'Name another home with PROMPTQ_HOME or --home.';
    return { findings: [fault('home', home.message, advice)], running: undefined };
  }
  const findings = [
    ok('home', path),
    ...(await checkFiles(path)),
    ...(await checkAbove(path)),
    ...(await checkSurroundings()),
    ...(await checkLeft(path)),
    await checkSpace(path),
  ];
  const info = await home.readInfo();
  if (info === undefined) {
    const isBroken = existsSync(join(path, 'local.json'));
    const message = isBroken ? 'local.json is unreadable' : 'nothing runs on this home';
    return { findings: [...findings, fault('process', message, 'Start it with `npm start`.')], running: undefined };
  }
  if (!isAlive(info.pid)) {
    const message = `local.json names process ${info.pid}, which is gone: it was killed, and had no time to clear up`;
    const advice = 'Start it with `npm start`: it ends what is left over, and running jobs are taken over.';
    return { findings: [...findings, fault('process', message, advice)], running: undefined };
  }
  findings.push(ok('process', String(info.pid)), await checkOpenFiles(info.pid));
  return { findings, running: { info, operator: await home.readOperatorInfo() } };
}

async function checkFiles(home: string): Promise<Finding[]> {
  const open: string[] = [];
  for (const name of PRIVATE_FILES) {
    const found = await stat(join(home, name)).catch(() => undefined);
    if (found !== undefined && (found.mode & 0o077) !== 0) open.push(name);
  }
  if (open.length === 0) return [];
  const advice = `chmod 600 ${open.map((name) => join(home, name)).join(' ')}`;
  return [fault('private files', `others on this machine can read ${open.join(', ')}`, advice)];
}

async function checkAbove(home: string): Promise<Finding[]> {
  const above = await foundAbove(home);
  if (above.length === 0) return [];
  const advice = 'Move it away, or start with PROMPTQ_HOME in a folder that is part of no project.';
  return [warning('surroundings', `programs of jobs may take for their own: ${above.join(', ')}`, advice)];
}

/** Checks the programs of jobs, and says what they get of the network's settings. */
async function checkSurroundings(): Promise<Finding[]> {
  const { missing, network } = await jobSurroundings();
  const advice = 'Install them where the PATH of the start finds them, or where they are named.';
  return [
    missing.length === 0 ? ok('programs', 'all are there') : warning('programs', missing.join('; '), advice),
    ok(
      'network',
      network.length === 0 ? 'no proxy and no certificates are set here' : `jobs get ${network.join(', ')}`,
    ),
  ];
}

/** Folders of attempts that were not removed for a day: another user owns files in them, as after `docker run`. */
async function checkLeft(home: string): Promise<Finding[]> {
  const attempts = join(home, 'worker', 'attempts');
  const left: string[] = [];
  for (const name of await readdir(attempts).catch(() => [])) {
    const found = await stat(join(attempts, name)).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - DAY_MS) left.push(name);
  }
  if (left.length === 0) return [];
  const advice = `If the jobs have ended, remove them: sudo rm -rf ${left.map((name) => join(attempts, name)).join(' ')}`;
  return [warning('folders', `${counted(left.length, 'folder')} of attempts not removed for a day`, advice)];
}

async function checkSpace(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(home);
  const full = await probeDisk(home, 'the home').catch((error: Error) => error.message);
  if (full !== undefined) return fault('disk', full, 'Make room: workspaces and s3 in the home are what grows.');
  const left = `${((Number(bavail) * Number(bsize)) / 1024 ** 3).toFixed(1)} GiB free`;
  if (bavail * bsize >= MIN_FREE_BYTES) return ok('disk', left);
  return warning('disk', left, 'Make room: workspaces and s3 in the home are what grows.');
}

async function checkOpenFiles(pid: number): Promise<Finding> {
  const limit = await openFilesLimit(pid);
  const tooFew = tooFewFiles(limit);
  if (tooFew !== undefined) return warning('open files', tooFew.message, tooFew.advice);
  return ok('open files', limit === undefined ? 'this system does not say how many are allowed' : `${limit} allowed`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Checks whether the secrets of profiles and projects can be found; only the service itself knows its variables. */
export async function checkLocalSecrets(home: string, named: readonly NamedSecret[]): Promise<Finding> {
  const file = parseEnv(await readFile(join(home, 'secrets.env'), 'utf8').catch(() => ''));
  const unset = named.filter(({ name, profile }) => !secretPlaces(name, profile).some((place) => file[place]));
  const count = new Set(named.map(({ name }) => name)).size;
  if (unset.length === 0) return ok('secrets', count === 0 ? 'none is named' : `${counted(count, 'secret')} set`);
  return warning(
    'secrets',
    `not in secrets.env of the home: ${unset.map(({ name, profile }) => `${name} (${namedBy(profile)})`).join(', ')}`,
    'Fine if the service was started with the variable PROMPTQ_SECRET_NAME; else jobs that need it fail with start_failed.',
  );
}
