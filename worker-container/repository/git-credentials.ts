import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Answers to git's credential prompts. */
interface GitCredentials {
  readonly username: string;
  readonly password: string;
  /** The only server that gets them, as in git's prompts: `https://HOST[:PORT]`. */
  readonly server: string;
}

/**
 * The credentials that a secret holds for a repository's host: a line as git's own credential store writes it. The host
 * in it keeps someone who may edit a project from sending the secret to another host.
 * @throws Error that names the secret, never its value.
 */
export function credentialsFor(repository: string, name: string, value: string): GitCredentials {
  const line = value.trim();
  if (!URL.canParse(line)) throw new Error(`secret ${name}: expected a line https://USER:TOKEN@HOST`);
  const [allowed, asked] = [new URL(line), new URL(repository)];
  if (allowed.username === '' || allowed.password === '')
    throw new Error(`secret ${name}: expected a line https://USER:TOKEN@HOST`);
  // Git parses an address by its own rules. Only where both see the same host was the right one compared.
  const [server, host] = /^[a-z]+:\/\/([^/\\@]+)(?=\/)/.exec(repository) ?? [];
  const isPlain = host !== undefined && new URL(`${asked.protocol}//${host}`).host === asked.host;
  if (!isPlain || allowed.protocol !== asked.protocol || allowed.host !== asked.host)
    throw new Error(`secret ${name} is for another host than ${asked.host}`);
  return {
    username: decodeURIComponent(allowed.username),
    password: decodeURIComponent(allowed.password),
    server: server ?? '',
  };
}

/**
 * Answers git from its environment, so that a credential is in no argument, file or configuration; and only for the one
 * server. Git's prompts are `Username for 'https://HOST': ` and `Password for 'https://USER@HOST': `.
 */
const ASKPASS = `#!/bin/sh
host=\${PROMPTQ_GIT_SERVER#*//}
case "$1" in
"Username for '$PROMPTQ_GIT_SERVER': ")
  printf '%s\\n' "$PROMPTQ_GIT_USERNAME" ;;
"Password for '\${PROMPTQ_GIT_SERVER%"$host"}"*"@$host': ")
  user=\${1#*//}
  case "\${user%"@$host': "}" in
  *[/@]*) exit 1 ;;
  esac
  printf '%s\\n' "$PROMPTQ_GIT_PASSWORD" ;;
*) exit 1 ;;
esac
`;

/** The environment that gives git the credentials. Without credentials, git's prompts fail. */
export async function credentialEnvironment(
  attemptDir: string,
  credentials: GitCredentials | undefined,
): Promise<Record<string, string>> {
  if (credentials === undefined) return { GIT_ASKPASS: '/bin/false' };
  const askpass = join(attemptDir, 'git-askpass');
  await writeFile(askpass, ASKPASS, { mode: 0o755 });
  return {
    GIT_ASKPASS: askpass,
    PROMPTQ_GIT_SERVER: credentials.server,
    PROMPTQ_GIT_USERNAME: credentials.username,
    PROMPTQ_GIT_PASSWORD: credentials.password,
  };
}
