/** Adds to the OpenAPI document what only a deployment knows: the unit of `timeout`. */
export function describeDeployment<D extends { info: object }>(document: D, deployment: { timeoutUnit: string }) {
  return { ...document, info: { ...document.info, 'x-timeout-unit': deployment.timeoutUnit } };
}
