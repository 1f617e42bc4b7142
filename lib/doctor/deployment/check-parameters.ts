import { DescribeParametersCommand, ParameterType, type SSMClient } from '@aws-sdk/client-ssm';
import { counted, type Finding, fault, ok } from '../finding.ts';

/** SSM's limit of values in a filter. */
const VALUES_PER_FILTER = 50;

/** A required secret. */
export interface WantedSecret {
  /** Names of its possible parameters, in order of precedence, the shared one last. */
  readonly places: readonly string[];
  /** The part of the deployment that requires it. */
  readonly need: string;
}

/**
 * Checks SSM's Parameter Store for the parameters that the deployment's stacks create, and the secrets that its
 * profiles, projects and settings require. Reads metadata only, never a value.
 * @param made names of the parameters that stacks create
 */
export async function checkParameters(
  client: SSMClient,
  wanted: readonly WantedSecret[],
  made: readonly string[],
): Promise<Finding[]> {
  const places = new Set(wanted.flatMap((secret) => secret.places));
  const types = await typesOf(client, [...places, ...made]);
  const gone = made.filter((name) => !types.has(name));
  const secrets = wanted.flatMap((secret) => assess(secret, types));
  const shared = new Set(wanted.map((secret) => secret.places.at(-1)));
  return [
    gone.length === 0
      ? ok('parameters', `${made.length} of the stacks there`)
      : fault('parameters', `gone, though a stack has made them: ${gone.join(', ')}`, RESTORE),
    ...(secrets.length > 0 ? secrets : [ok('secrets', `${counted(shared.size, 'secret')} set`)]),
  ];
}

const RESTORE = 'They were deleted by hand: restore them, or change the stack and deploy it again.';

async function typesOf(client: SSMClient, names: readonly string[]): Promise<Map<string, ParameterType | undefined>> {
  const types = new Map<string, ParameterType | undefined>();
  for (let at = 0; at < names.length; at += VALUES_PER_FILTER) {
    const filter = { Key: 'Name', Option: 'Equals', Values: names.slice(at, at + VALUES_PER_FILTER) };
    let NextToken: string | undefined;
    do {
      const page = await client.send(
        new DescribeParametersCommand({ ParameterFilters: [filter], MaxResults: VALUES_PER_FILTER, NextToken }),
      );
      for (const { Name, Type } of page.Parameters ?? []) if (Name !== undefined) types.set(Name, Type);
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
  }
  return types;
}

function assess({ places, need }: WantedSecret, types: ReadonlyMap<string, ParameterType | undefined>): Finding[] {
  const put = (name: string) => `\`aws ssm put-parameter --type SecureString --name ${name} --value …\``;
  const found = places.find((name) => types.has(name));
  const shared = places.at(-1) ?? '';
  if (found === undefined) return [fault('secrets', `${shared} is not set; ${need}`, put(shared))];
  if (types.get(found) === ParameterType.SECURE_STRING) return [];
  const advice = `Everybody who may list parameters can read it. Delete it, put another value by ${put(found)}, and end the old one.`;
  return [fault('secrets', `${found} is no SecureString; ${need}`, advice)];
}
