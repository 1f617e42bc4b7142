import { DescribeParametersCommand, ParameterType, type SSMClient } from '@aws-sdk/client-ssm';
import { counted, type Finding, fault, ok } from './finding.ts';

/** SSM takes at most so many values of a filter. */
const BATCH = 50;

/**
 * Looks whether the parameters are in SSM's Parameter Store that the deployment's stacks have made, and the secrets that
 * its profiles, projects and settings ask for. Reads what is known of them, never a value.
 * @param wanted names of secrets, and what needs them
 * @param made names of parameters that stacks have made
 */
export async function checkParameters(
  client: SSMClient,
  wanted: ReadonlyMap<string, string>,
  made: readonly string[],
): Promise<Finding[]> {
  const types = await typesOf(client, [...wanted.keys(), ...made]);
  const gone = made.filter((name) => !types.has(name));
  const secrets = [...wanted].flatMap(([name, need]) => judge(name, need, types));
  return [
    gone.length === 0
      ? ok('parameters', `${made.length} of the stacks there`)
      : fault('parameters', `gone, though a stack has made them: ${gone.join(', ')}`, RESTORE),
    ...(secrets.length > 0 ? secrets : [ok('secrets', `${counted(wanted.size, 'parameter')} there`)]),
  ];
}

const RESTORE = 'Somebody has deleted them by hand: put them back, or change the stack and deploy it anew.';

async function typesOf(client: SSMClient, names: readonly string[]): Promise<Map<string, ParameterType | undefined>> {
  const types = new Map<string, ParameterType | undefined>();
  for (let at = 0; at < names.length; at += BATCH) {
    const filter = { Key: 'Name', Option: 'Equals', Values: names.slice(at, at + BATCH) };
    let NextToken: string | undefined;
    do {
      const page = await client.send(
        new DescribeParametersCommand({ ParameterFilters: [filter], MaxResults: BATCH, NextToken }),
      );
      for (const { Name, Type } of page.Parameters ?? []) if (Name !== undefined) types.set(Name, Type);
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
  }
  return types;
}

function judge(name: string, need: string, types: ReadonlyMap<string, ParameterType | undefined>): Finding[] {
  const put = `\`aws ssm put-parameter --type SecureString --name ${name} --value …\``;
  if (!types.has(name)) return [fault('secrets', `${name} is not set; ${need}`, put)];
  if (types.get(name) === ParameterType.SECURE_STRING) return [];
  const advice = `Everybody who may list parameters can read it. Delete it, put another value by ${put}, and end the old one.`;
  return [fault('secrets', `${name} is no SecureString; ${need}`, advice)];
}
