/** Adds the deployment-specific part to the OpenAPI document: the unit of `timeout`. */
export function describeDeployment<D extends { info: object }>(document: D, deployment: { timeoutUnit: string }) {
  return { ...document, info: { ...document.info, 'x-timeout-unit': deployment.timeoutUnit } };
}
