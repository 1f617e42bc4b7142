import { randomBytes } from 'node:crypto';

/** What callers of a run's emulators sign with. */
export interface RunCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Makes the credentials of one run. They are kept nowhere but in its processes' environment and in `operator.json`.
 * @param accessKeyId a fixed one, for a DynamoDB Local of the operator's, which keeps a database for each
 */
export function newRunCredentials(
  accessKeyId: string = `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`,
): RunCredentials {
  return { accessKeyId, secretAccessKey: randomBytes(30).toString('base64url') };
}
