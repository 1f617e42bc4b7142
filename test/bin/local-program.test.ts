import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Home } from '../../lib/local/run/home.ts';
import { processHere } from './process-here.ts';

type Start = (options: { readonly log: (line: string) => void }) => Promise<object>;
let start: Start;
let asked: unknown[] = [];
let stops = 0;
vi.mock('../../lib/local/service.ts', () => ({
  startLocalService: async (options: Parameters<Start>[0]) => {
    asked.push(options);
    return await start(options);
  },
}));

const SERVICE = {
  ...{ baseUrl: 'http://127.0.0.1:1', consoleUrl: 'http://127.0.0.1:2', token: 'pq_x', home: "/it's/home" },
  async stop() {
    stops += 1;
  },
};

beforeEach(() => {
  [start, asked, stops] = [async () => SERVICE, [], 0];
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Runs `npm start` in this process. A program that has ended runs no further, so that what it would do then is left out. */
async function local(env: Readonly<Record<string, string>> = {}, ...args: string[]) {
  const here = processHere(env, args);
  const ended = new Error('the program has ended');
  here.own.exit = ((code: number) => {
    here.exits.push(code);
    throw ended;
  }) as typeof process.exit;
  await import('../../bin/local.ts').catch((error: Error) => {
    if (error !== ended) throw error;
  });
  here.own.exit = ((code: number) => void here.exits.push(code)) as typeof process.exit;
  return here;
}

it('starts the service of its environment, and says how to use it', async () => {
  const env = { PROMPTQ_HOME: 'h', PORT: '3001', PROMPTQ_CONFIG: 'c', PROMPTQ_DEFAULT_PROFILE: 'practice' };
  const { stdout, stderr, exits } = await local(env);
  expect(asked).toEqual([{ home: 'h', port: 3001, config: 'c', log: expect.any(Function) }]);
  expect([stderr.text(), exits]).toEqual(['', []]);
  const text = stdout.text();
  for (const part of [
    'Jobs go to the practice vendor: ',
    '  Token      pq_x\n',
    '(browser; one click signs you in, in the role you choose)',
    `TOKEN="$(cat '/it'\\''s/home/token')"`,
    'http://127.0.0.1:2/jobs/$ID',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('Run a job from another terminal');
});

it.each([
  [{ PROMPTQ_OIDC_ISSUER: 'i' }, 'you sign in at your identity provider'],
  [{ PROMPTQ_SIGN_IN_PORT: '1' }, 'the token signs you in, in the role you choose'],
])('says how to sign in with %j, and which profile jobs go to', async (env, sentence) => {
  const { stdout } = await local({ ...env, PROMPTQ_DEFAULT_PROFILE: 'p' });
  expect(stdout.text()).toContain(`(browser; ${sentence})`);
  expect(stdout.text()).toContain('Jobs go to the profile p unless they name another.');
});

it('tells `promptq dev` its address and token, and names the command line', async () => {
  const here = processHere();
  here.own.send = (message: unknown) => here.sent.push(message) > 0;
  await import('../../bin/local.ts');
  expect(here.sent).toEqual([{ url: SERVICE.baseUrl, token: SERVICE.token }]);
  expect(here.stdout.text()).toContain('Run a job from another terminal');
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'])(
  '%s stops the service once, and then the program',
  async (by) => {
    const { signals, stdout, exits } = await local();
    const before = stdout.text();
    signals.emit(by);
    signals.emit('SIGINT');
    await nextTurn();
    expect([stops, exits]).toEqual([1, [0, 0]]);
    expect(stdout.text().slice(before.length)).toBe(
      '\nStopping. Running jobs get a few seconds, then go back to the queue.\n',
    );
  },
);

it('a signal while the service starts stops it once it has started, and nothing says how to use it', async () => {
  const starting = Promise.withResolvers<object>();
  start = async () => await starting.promise;
  const running = local();
  await vi.waitUntil(() => asked.length > 0);
  const here = process as unknown as { emit: (name: string) => void; exit: () => void };
  const exited = vi.fn();
  here.exit = exited;
  here.emit('SIGTERM');
  expect(stops).toBe(0);
  starting.resolve(SERVICE);
  const { stdout } = await running;
  expect([stops, exited.mock.calls, stdout.text()]).toEqual([
    1,
    [[0]],
    expect.stringMatching(/^\nStopping\. [^\n]*\n$/),
  ]);
});

it('an error that nothing handles, or a closed terminal, does not end the service', async () => {
  start = async ({ log }) => {
    log('started');
    return SERVICE;
  };
  const { signals, stdout, stderr, exits } = await local();
  signals.emit('uncaughtException', new Error('broken'));
  for (const { stream } of [stdout, stderr]) stream.emit('error', new Error('EIO'));
  expect(stdout.text()).toMatch(/^\d\d:\d\d:\d\d {2}started\n/);
  expect(stdout.text()).toMatch(/\n\d\d:\d\d:\d\d {2}unhandled error in a function: Error: broken\n/);
  expect([stops, exits]).toEqual([0, []]);
});

it.each<[string[], number, RegExp, RegExp]>([
  [['--help'], 0, /^Usage: npm start\n/, /^$/],
  [['--port'], 2, /^$/, /^promptq: npm start takes no arguments, but got "--port"\n\nUsage: npm start\n/],
])('starts nothing with %j', async (args, code, out, err) => {
  const { stdout, stderr, exits } = await local({}, ...args);
  expect([exits, asked]).toEqual([[code], []]);
  expect(stdout.text()).toMatch(out);
  expect(stderr.text()).toMatch(err);
});

const failure = (more: object, message = 'x') => Object.assign(new Error(message), more);

it.each<[string, () => Promise<unknown>, Record<string, string>, string]>([
  ['a port that is none', async () => undefined, { PORT: 'x' }, 'PORT is "x"; it must be a number'],
  [
    'a home that is in use',
    async () =>
      new (await import('../../lib/local/run/home-lock.ts')).HomeInUseError({ path: '/h' } as Home, undefined),
    {},
    'another local run holds /h: ',
  ],
  [
    'a taken port',
    async () => failure({ code: 'EADDRINUSE', port: 5 }),
    {},
    'port 5 is taken by another program; set PORT to',
  ],
  [
    'its own port',
    async () => failure({ code: 'EADDRINUSE' }),
    { PORT: '6' },
    'port 6 is taken by another program; set PORT to',
  ],
  [
    'a taken port for signing in',
    async () => failure({ code: 'EADDRINUSE', port: 5 }),
    { PROMPTQ_SIGN_IN_PORT: '5' },
    'port 5 is taken by another program; set PROMPTQ_SIGN_IN_PORT to another one\n',
  ],
  [
    'a file that is refused',
    async () => failure({ code: 'ENOSPC', path: '/h/x' }, 'ENOSPC: no space'),
    {},
    'ENOSPC: no space. This user must be able to write every file of the home; PROMPTQ_HOME names another home\n',
  ],
  ['a fault', async () => failure({ stack: 'Error: x\n    at y' }), {}, 'Error: x\n    at y\n'],
  ['what is no error', async () => 'odd', {}, 'odd\n'],
])('explains %s, and ends with 1', async (_, made, env, message) => {
  start = async () => {
    throw await made();
  };
  const { stderr, stdout, exits } = await local(env);
  expect([exits, stdout.text()]).toEqual([[1], '']);
  expect(stderr.text().startsWith(`promptq: ${message}`)).toBe(true);
});
