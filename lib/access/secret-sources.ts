import { readPlace } from '../platform/aws/read-place.ts';
import type { SecretSource } from './deployment-secrets.ts';

/**
 * Reads secrets from where the environment says: `ssm:/folder/of/parameters` (SecureStrings in SSM's Parameter Store)
 * or `file:/folder`; undefined: there are no secrets.
 */
export function secretSource(folder: string | undefined): SecretSource {
  if (folder === undefined) return async () => undefined;
  return async (name) => await readPlace(`${folder}/${name}`);
}
