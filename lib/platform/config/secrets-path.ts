import type { Deployment } from './deployment.ts';

/** Where in SSM's Parameter Store the secrets of a deployment lie that profiles and projects name, each a SecureString. */
export function secretsPath({ deploymentName }: Pick<Deployment, 'deploymentName'>): string {
  return `/promptq/${deploymentName}/secrets/`;
}

/**
 * Where the value of a secret may be, relative to a deployment's secrets, the most specific place first: a profile's own
 * value, which jobs of no other profile get, then the one that all share. The local run's file has the same names.
 * @param profile undefined: it is no profile that names the secret, so only a shared value counts.
 */
export function secretPlaces(name: string, profile: string | undefined): string[] {
  return profile === undefined ? [name] : [`${profile}/${name}`, name];
}
