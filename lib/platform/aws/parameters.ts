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

/** The decrypted text of a parameter in SSM's Parameter Store; undefined if there is none. */
export async function readParameter(name: string): Promise<string | undefined> {
  try {
    const { Parameter } = await opened().send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return Parameter?.Value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

/** Creates a SecureString, encrypted with AWS's own key; an existing one stays unchanged. */
export async function keepSecret(name: string, value: string): Promise<void> {
  try {
    await opened().send(new PutParameterCommand({ Name: name, Value: value, Type: 'SecureString' }));
  } catch (error) {
    if (!(error instanceof ParameterAlreadyExists)) throw error;
  }
}

/** Removes up to ten parameters; missing ones are ignored. */
export async function removeParameters(names: readonly string[]): Promise<void> {
  await opened().send(new DeleteParametersCommand({ Names: [...names] }));
}
