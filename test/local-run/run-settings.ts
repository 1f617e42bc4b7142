import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an SDK's client of a run's emulators needs besides an endpoint, by the environment that the run's functions have. */
export function runSettings(environment: Readonly<Record<string, string | undefined>>) {
  const { AWS_REGION: region = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = environment;
  return { region, credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } };
}

/** The environment of the functions of the run on a home. */
export async function runEnvironment(home: string): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await readFile(join(home, 'operator.json'), 'utf8')).environment;
}
