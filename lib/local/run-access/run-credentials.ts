import { randomBytes } from 'node:crypto';

/** The credentials of callers of a run's emulators. */
export interface RunCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Creates the credentials of one run, kept only in its processes' environment and in `operator.json`.
 * @param accessKeyId a fixed one, for an operator's DynamoDB Local, which keeps a database for each
 */
export function newRunCredentials(
  accessKeyId: string = `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`,
): RunCredentials {
  return { accessKeyId, secretAccessKey: randomBytes(30).toString('base64url') };
}
