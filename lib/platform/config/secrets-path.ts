import type { Deployment } from './deployment.ts';

/** The path in SSM's Parameter Store of a deployment's secrets for profiles and projects, each a SecureString. */
export function secretsPath({ deploymentName }: Pick<Deployment, 'deploymentName'>): string {
  return `/promptq/${deploymentName}/secrets/`;
}

/**
 * The locations of a secret's value, relative to the deployment's secrets, the most specific first: a profile's own
 * value, which other profiles' jobs don't get, then the shared one. The local run's file uses the same names.
 * @param profile undefined: the secret is not a profile's, so only a shared value applies
 */
export function secretPlaces(name: string, profile: string | undefined): string[] {
  return profile === undefined ? [name] : [`${profile}/${name}`, name];
}
