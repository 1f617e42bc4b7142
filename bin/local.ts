import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigFileError } from '../lib/catalog/find-config-file.ts';
import { forgetLocalRun, saveLocalRun } from '../lib/cli/base/credentials.ts';
import { IS_PACKED } from '../lib/local/program/program-files.ts';
import { fileFault, HomeError } from '../lib/local/run/home-error.ts';
import { HomeInUseError } from '../lib/local/run/home-lock.ts';
import { type LocalService, startLocalService } from '../lib/local/service.ts';
import { readPort, SettingError } from '../lib/local/settings/run-settings.ts';
import { checkSettings } from '../lib/local/settings/settings.ts';
import { userPath } from '../lib/platform/config/surroundings.ts';

/** `npm start`: the whole service on this machine, until SIGINT or SIGTERM. */

const USAGE = `Usage: npm start
       npm start -- --allow FOLDER    jobs may also work in this folder and below; repeatable
       npm start -- --messengers      messages go to stand-ins on this machine

Its settings are variables of the environment, for example

  PORT=3001 npm start

docs/operate/settings.md lists them.
`;

const IN_ANOTHER_TERMINAL = `
Run a job from another terminal${IS_PACKED ? '' : ', in this folder'}:

  ${promptq('run "Say hello" --follow')}
`;

/** Errors whose message tells an operator what to do. */
const EXPLAINED = [SettingError, HomeInUseError, HomeError, ConfigFileError];

// Taken before the output of the functions is redirected.
const write = process.stdout.write.bind(process.stdout);
const writeError = process.stderr.write.bind(process.stderr);
const say = (text: string) => write(`${text}\n`);
const log = (line: string) => write(`${new Date().toTimeString().slice(0, 8)}  ${line}\n`);
applyArguments(process.argv.slice(2));
// A closed terminal must not end the service before it has stopped its parts.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Set by the first signal, which may come while the service starts. */
let stopping: Promise<void> | undefined;
const port = listeningPort();
// Taken before the local identity provider is set in the environment.
const howToSignIn = signIn(process.env);
const starting = startLocalService({ home: process.env.PROMPTQ_HOME, port, config: process.env.PROMPTQ_CONFIG, log });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stop());
}
process.once('disconnect', () => void stop());
// On AWS an unhandled error ends only the process of its function. Here it must not end the service.
process.on('uncaughtException', (error) => log(`unhandled error in a function: ${error.stack ?? error.message}`));

// Functions share this process, and its environment is theirs.
const user = { ...process.env };
const service = await starting.catch((error: unknown) => fail(explain(error)));
const isFound = await saveLocalRun(user, { url: service.baseUrl, token: service.token, pid: process.pid }).then(
  () => true,
  (error: Error) => void log(`the command line does not find this service: ${error.message}`),
);
if (stopping === undefined) say(welcome(service, isFound === true));

async function stop(): Promise<void> {
  stopping ??= (async () => {
    say('\nStopping. Running jobs get a few seconds, then go back to the queue.');
    await (await starting).stop();
    await forgetLocalRun(user, process.pid).catch(() => undefined);
  })();
  await stopping;
  process.exit(0);
}

/** Sets the settings that the arguments stand for. */
function applyArguments(args: readonly string[]): void {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        allow: { type: 'string', multiple: true, default: [] },
        messengers: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      write(USAGE);
      process.exit(0);
    }
    if (values.messengers) process.env.PROMPTQ_MESSENGERS = 'practice';
    const allowed = values.allow.map((folder) => realpathSync(folder));
    const unlisted = allowed.find((folder) => folder.includes(':'));
    if (unlisted !== undefined) throw new Error(`--allow: ${unlisted} has a colon, which separates folders in lists`);
    const roots = [process.env.PROMPTQ_ALLOWED_ROOTS, ...allowed].filter((root) => root !== undefined && root !== '');
    if (roots.length > 0) process.env.PROMPTQ_ALLOWED_ROOTS = roots.join(':');
  } catch (error) {
    writeError(`promptq: ${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function listeningPort(): number {
  try {
    for (const warning of checkSettings(process.env)) log(warning);
    return readPort(process.env.PORT);
  } catch (error) {
    return fail(explain(error));
  }
}

function explain(error: unknown): string {
  if (EXPLAINED.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    const taken = 'port' in error ? error.port : port;
    return String(taken) === process.env.PROMPTQ_SIGN_IN_PORT
      ? `port ${taken} is taken by another program; set PROMPTQ_SIGN_IN_PORT to another one`
      : `port ${taken} is taken by another program; set PORT to another one, or PORT=0 for any free port`;
  }
  const fault = fileFault(error);
  if (fault !== undefined) return fault;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function signIn({ PROMPTQ_OIDC_ISSUER: issuer, PROMPTQ_SIGN_IN_PORT: forwardedPort }: NodeJS.ProcessEnv): string {
  if (issuer) return 'you sign in at your identity provider';
  return `${forwardedPort ? 'the token' : 'one click'} signs you in, in the role you choose`;
}

function fail(message: string): never {
  writeError(`promptq: ${message}\n`);
  process.exit(1);
}

/** How a command of the command line is written here. */
function promptq(command: string): string {
  if (!IS_PACKED) return `npm run promptq --silent -- ${command}`;
  const isOnPath = userPath(process.env)
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'promptq')));
  return `${isOnPath ? '' : 'npx '}promptq ${command}`;
}

function welcome({ baseUrl, consoleUrl, token, home, messengers }: LocalService, isFound: boolean): string {
  return `
Promptq runs on this machine. ${whereJobsGo(process.env.PROMPTQ_DEFAULT_PROFILE)}

  Base URL   ${baseUrl}
  Token      ${token}
  Console    ${consoleUrl}   (browser; ${howToSignIn})
  Data       ${home}
  Logs       ${home}/logs
  Jobs' PATH ${userPath(process.env)}
${pagesOf(messengers)}  Stop       Ctrl-C
${isFound ? IN_ANOTHER_TERMINAL : ''}
Or call the API:

  export BASE=${baseUrl} TOKEN="$(cat ${shellQuoted(`${home}/token`)})"
  call() { curl -fsS -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$BASE/api/v1$@"; }
  ID=$(call /jobs -d '{"prompt":"Say hello"}' | jq -r .id)
  until call "/jobs/$ID/status?wait=25" | jq -e .terminal; do :; done   # each answers when the state changes
  call "/jobs/$ID/result" | jq -r .final_message
  echo "${consoleUrl}/jobs/$ID"
`;
}

/** A line for each stand-in of a messenger. */
function pagesOf(messengers: LocalService['messengers']): string {
  return Object.entries(messengers)
    .map(([name, { page, target }]) => {
      const members = Object.entries(target).map(([member, value]) => `${member} ${value}`);
      return `  ${name.padEnd(10)} ${page}   (stand-in; ${members.join(', ')})\n`;
    })
    .join('');
}

/** Quotes a text as one shell word. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function whereJobsGo(profile: string | undefined): string {
  if (profile === 'practice')
    return 'Jobs go to the practice vendor: the real codex CLI with a stand-in model, offline and free.';
  return `Jobs go to the profile ${profile} unless they name another.`;
}
