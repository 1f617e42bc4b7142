import type { Deployment } from './deployment.ts';

/** Where in SSM's Parameter Store the secrets of a deployment lie that profiles and projects name, each a SecureString. */
export function secretsPath({ deploymentName }: Pick<Deployment, 'deploymentName'>): string {
  return `/promptq/${deploymentName}/secrets/`;
}
