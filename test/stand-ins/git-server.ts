import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A git server on loopback (`git http-backend`) with one repository. */
export interface GitServer {
  readonly url: string;
  /** Who called with which credentials, and got through. */
  readonly callers: (string | undefined)[];
  /** Status and location of the answers to requests for `/old.git`; undefined: there is none. */
  moved: readonly [number, string] | undefined;
  /** Runs git in the repository. */
  git(...args: string[]): Promise<string>;
  /** Commits files on a branch. @returns the commit */
  commit(files: Record<string, string>, branch?: string): Promise<string>;
  /** From now on answers nothing, so that a fetch hangs; until false. */
  hang: boolean;
  close(): Promise<void>;
}

const ENV = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

/** @param options.credentials `user:password`; undefined: everybody may read */
export async function startGitServer(options: { credentials?: string } = {}): Promise<GitServer> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-git-'));
  const git = async (cwd: string, ...args: string[]) => (await run('git', args, { cwd, env: ENV })).stdout.trim();
  await git(folder, 'init', '-q', '--bare', '-b', 'main', 'app.git');
  await git(folder, 'init', '-q', '-b', 'main', 'work');
  const work = join(folder, 'work');
  const state: Pick<GitServer, 'callers' | 'hang' | 'moved'> = { callers: [], hang: false, moved: undefined };
  const server = createServer((request, response) => {
    if (state.hang) return;
    const given = request.headers.authorization;
    const wanted = options.credentials && `Basic ${Buffer.from(options.credentials).toString('base64')}`;
    if (wanted !== undefined && given !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    state.callers.push(given);
    const [, rest] = /^\/old\.git(.*)/.exec(request.url ?? '') ?? [];
    if (rest !== undefined && state.moved !== undefined) {
      const [status, location] = state.moved;
      response.writeHead(status, { location: location + rest }).end();
      return;
    }
    serve(folder, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/app.git`,
    git: async (...args: string[]) => await git(join(folder, 'app.git'), ...args),
    commit: async (files: Record<string, string>, branch = 'main') => {
      await git(work, 'checkout', '-q', '-B', branch);
      for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text);
      await git(work, 'add', '--', ...Object.keys(files));
      await git(work, 'commit', '-q', '-m', 'change');
      await git(work, 'push', '-q', join(folder, 'app.git'), branch);
      return await git(work, 'rev-parse', 'HEAD');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

/** One call of the CGI program. */
function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...ENV,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: String(searchParams),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(backend.stdin);
  const parts: Buffer[] = [];
  backend.stdout.on('data', (part: Buffer) => parts.push(part));
  backend.on('close', () => {
    const answer = Buffer.concat(parts);
    const split = answer.indexOf('\r\n\r\n');
    const headers = answer.subarray(0, split).toString().split('\r\n');
    const named = headers.map((line) => line.split(': ') as [string, string]);
    const status = named.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(named.filter(([name]) => name !== 'Status')));
    response.end(answer.subarray(split + 4));
  });
}
