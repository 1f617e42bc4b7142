import { addressFault } from '../../lib/projects/repository-address.ts';
import { GitRefusedError, type GitSurroundings, git } from './git.ts';

/** A repository and the environment that gives git its credentials. */
interface Remote {
  readonly repository: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** Most redirections to follow. */
const MAX_REDIRECTIONS = 5;
/** Milliseconds for one answer of a server. */
const ANSWER_TIMEOUT_MS = 60_000;
/** What git asks a server for first. */
const FIRST_PATH = '/info/refs';

/**
 * Calls `use` with a repository's address, and again where the server redirects to another path of the same host. Git
 * itself follows no redirection: it would follow to any host.
 * @throws Error that names the address if that is on another host.
 */
export async function atAddress<T>(
  surroundings: GitSurroundings,
  remote: Remote,
  use: (repository: string) => Promise<T>,
): Promise<T> {
  let address = remote.repository;
  for (let redirections = 0; ; redirections += 1) {
    try {
      return await use(address);
    } catch (error) {
      const isMoved = error instanceof GitRefusedError && /returned error: 30[12378]\b/.test(error.message);
      if (!isMoved || redirections === MAX_REDIRECTIONS) throw error;
      address = await redirection(surroundings, { ...remote, repository: address });
    }
  }
}

async function redirection(surroundings: GitSurroundings, { repository, credentials }: Remote): Promise<string> {
  let trace = '';
  const onStderr = (chunk: Buffer) => {
    trace += chunk.toString('latin1');
  };
  // The only way to learn where git was redirected to. It leaves credentials out.
  const env = { ...credentials, GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' };
  const call = { env, limit: ANSWER_TIMEOUT_MS, onStderr };
  await git(surroundings, ['ls-remote', '--quiet', '--', repository, 'HEAD'], call).catch((error: unknown) => {
    if (!(error instanceof GitRefusedError)) throw error;
  });
  const [, location = ''] = /<= recv header: location: *(\S+)/i.exec(trace) ?? [];
  const target = URL.canParse(location, repository) ? new URL(location, repository) : undefined;
  if (target === undefined) throw new Error('the server redirects git, and does not say where to');
  const path = target.pathname.replace(/\/+$/, '');
  const address = `${target.origin}${path.endsWith(FIRST_PATH) ? path.slice(0, -FIRST_PATH.length) : path}`;
  if (!path.endsWith(FIRST_PATH))
    throw new Error(`the server redirects to ${address}, which is no repository: check the address and the secret`);
  const rules = { loopback: surroundings.env.PROMPTQ_REPOSITORY_LOOPBACK };
  if (target.origin !== new URL(repository).origin || addressFault(address, rules) !== undefined)
    throw new Error(`the repository has moved to ${address}: set that address, and a secret of its host`);
  return address;
}
