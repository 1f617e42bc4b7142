import type { DataStack } from './data-stack.ts';

/** The port on which a worker serves the code of its login. */
export const LOGIN_PORT = 8790;

/** The function that launches workers. Its name is fixed because its stack follows the API's. */
export function scaleWorkersName(data: DataStack): string {
  return `${deploymentNameOf(data)}-scale-workers`;
}

/** The function that makes exports. Its name is fixed because it calls itself. */
export function makeExportsName(data: DataStack): string {
  return `${deploymentNameOf(data)}-make-exports`;
}

/** The function that runs readers of the feed of events. Its name is fixed because it calls itself. */
export function readFeedName(data: DataStack): string {
  return `${deploymentNameOf(data)}-read-feed`;
}

/** The function that runs each minute. Its name is fixed because it calls itself. */
export function reconcileJobsName(data: DataStack): string {
  return `${deploymentNameOf(data)}-reconcile-jobs`;
}

/** The function in the workers' network that reads a login code from a worker. Fixed for the same reason. */
export function loginReaderName(data: DataStack): string {
  return `${deploymentNameOf(data)}-read-login-code`;
}

/** The parameter with the workers' current task definition. */
export function workerBuildName(data: DataStack): string {
  return `/${deploymentNameOf(data)}-worker/task-definition`;
}

/** The SecureString with the identity provider's client secret. An operator or a later stack writes it. */
export function clientSecretName(data: DataStack): string {
  return `/${data.stackName}/oidc-client-secret`;
}

/** The parameter to which the console's stack writes the service endpoints for the API's functions. */
export function serviceEndpointsParameter(data: DataStack): string {
  return `${data.secretsFolder}/whereabouts`;
}

function deploymentNameOf(data: DataStack): string {
  return data.stackName.replace(/-data$/, '');
}
