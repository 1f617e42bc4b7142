import { readPlace } from '../platform/aws/read-place.ts';
import type { SecretSource } from './deployment-secrets.ts';

/**
 * Where secrets are read from, as the environment names it: `ssm:/folder/of/parameters` (SecureStrings of SSM's Parameter
 * Store), `file:/folder`; undefined: there are none.
 */
export function secretSource(folder: string | undefined): SecretSource {
  if (folder === undefined) return async () => undefined;
  return async (name) => await readPlace(`${folder}/${name}`);
}
