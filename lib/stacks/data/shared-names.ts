import type { DataStack } from './data-stack.ts';

/** The port on which a worker answers with the code of a login that it runs. */
export const LOGIN_PORT = 8790;

/** The function that launches workers. It has a fixed name because it is in a stack that the API's stack precedes. */
export function scaleWorkersName(data: DataStack): string {
  return `${deploymentNameOf(data)}-scale-workers`;
}

/** The function in the workers' network that asks a worker for a login code. Fixed for the same reason. */
export function loginReaderName(data: DataStack): string {
  return `${deploymentNameOf(data)}-read-login-code`;
}

/** The parameter with the newest task definition of the workers. */
export function workerBuildName(data: DataStack): string {
  return `/${deploymentNameOf(data)}-worker/task-definition`;
}

/** The SecureString with the secret that the service shares with the identity provider. An operator or a later stack writes it. */
export function clientSecretName(data: DataStack): string {
  return `/${data.stackName}/oidc-client-secret`;
}

/** The parameter in which the console's stack writes the service endpoints that the API's functions read. */
export function serviceEndpointsParameter(data: DataStack): string {
  return `${data.secretsFolder}/whereabouts`;
}

function deploymentNameOf(data: DataStack): string {
  return data.stackName.replace(/-data$/, '');
}
