import { readFile, stat } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { requestLimits } from '../../lib/platform/aws/request-limits.ts';
import { secretPlaces } from '../../lib/platform/config/secrets-path.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';

/** A source of secret values by name. */
export interface SecretSource {
  /**
   * Values by name; missing ones are absent.
   * @param profile of the jobs: its own value overrides the one that all profiles share. Default: none.
   * @throws Error when they can't be read.
   */
  read(names: readonly string[], profile?: string): Promise<ReadonlyMap<string, string>>;
}

/**
 * The secrets of a worker: in the cloud from SSM, locally from its environment, then from the file.
 * @param variables the environment's secrets by name; profiles do not get any other variable.
 */
export function secretSource(
  env: WorkerEnv,
  variables: Readonly<Record<string, string>>,
  ssm: () => Pick<SSMClient, 'send'> = () => new SSMClient({ maxAttempts: 4, requestHandler: requestLimits() }),
): SecretSource {
  if (env.PROMPTQ_SECRETS_PATH !== undefined) return ofParameterStore(env.PROMPTQ_SECRETS_PATH, ssm());
  return {
    async read(names, profile) {
      const file = await ofFile(env.PROMPTQ_SECRETS_FILE);
      return resolve(names, profile, (place) => variables[place] ?? file[place]);
    },
  };
}

/** The first value of each name. An empty value counts as missing. */
function resolve(
  names: readonly string[],
  profile: string | undefined,
  valueAt: (place: string) => string | undefined,
): Map<string, string> {
  const values = new Map<string, string>();
  for (const name of names) {
    const value = secretPlaces(name, profile).map(valueAt).find(Boolean);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

/** @throws Error if users other than its owner may read the file */
async function ofFile(path: string | undefined): Promise<Readonly<Record<string, string | undefined>>> {
  if (path === undefined) return {};
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return {};
  if ((found.mode & 0o077) !== 0) throw new Error(`${path} can be read by others: \`chmod 600\` it`);
  return parseEnv(await readFile(path, 'utf8'));
}

/** Most names that SSM takes in one request. */
const NAMES_PER_REQUEST = 10;

function ofParameterStore(path: string, ssm: Pick<SSMClient, 'send'>): SecretSource {
  return {
    async read(names, profile) {
      const places = [...new Set(names.flatMap((name) => secretPlaces(name, profile)))];
      const values = new Map<string, string>();
      for (let at = 0; at < places.length; at += NAMES_PER_REQUEST) {
        const Names = places.slice(at, at + NAMES_PER_REQUEST).map((place) => `${path}${place}`);
        const { Parameters = [] } = await ssm.send(new GetParametersCommand({ Names, WithDecryption: true }));
        for (const { Name, Value } of Parameters)
          if (Name !== undefined && Value !== undefined) values.set(Name.slice(path.length), Value);
      }
      return resolve(names, profile, (place) => values.get(place));
    },
  };
}
