import {
  DeleteParametersCommand,
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { requestLimits } from './request-limits.ts';

let client: SSMClient | undefined;

function opened(): SSMClient {
  client ??= new SSMClient({ maxAttempts: 4, requestHandler: requestLimits() });
  return client;
}

/** The text of a parameter of SSM's Parameter Store, decrypted; undefined if there is none. */
export async function readParameter(name: string): Promise<string | undefined> {
  try {
    const { Parameter } = await opened().send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return Parameter?.Value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

/** Makes a SecureString, encrypted with AWS's own key; one that is there already stays as it is. */
export async function keepSecret(name: string, value: string): Promise<void> {
  try {
    await opened().send(new PutParameterCommand({ Name: name, Value: value, Type: 'SecureString' }));
  } catch (error) {
    if (!(error instanceof ParameterAlreadyExists)) throw error;
  }
}

/** Removes parameters, at most ten; those that are not there are no fault. */
export async function removeParameters(names: readonly string[]): Promise<void> {
  await opened().send(new DeleteParametersCommand({ Names: [...names] }));
}
