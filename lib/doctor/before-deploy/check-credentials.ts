import * as z from 'zod';
import { type Finding, fault, inWords, ok } from '../finding.ts';
import { aws, CommandError, run } from './command.ts';

const identitySchema = z.object({ Account: z.string(), Arn: z.string() });

const INSTALL =
  'Install the AWS command line: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html.';

/**
 * Checks for credentials and a region. No other check of the account works without both.
 * @param givenRegion the environment's, which takes precedence over the profile's
 */
export async function checkCredentials(
  givenRegion: string | undefined,
): Promise<{ readonly findings: Finding[]; readonly canAsk: boolean }> {
  let region: string | undefined;
  try {
    region = givenRegion ?? (await configuredRegion());
    const { Account, Arn } = identitySchema.parse(await aws('sts', 'get-caller-identity', ...regional(region)));
    const credentials = ok('credentials', `account ${Account}, as ${Arn}`);
    return { findings: [credentials, assess(region)], canAsk: region !== undefined };
  } catch (error) {
    const isMissing = error instanceof CommandError && error.isMissing;
    const advice = isMissing
      ? INSTALL
      : '`aws configure sso` or `aws configure`; then AWS_PROFILE, if it is not the default.';
    return { findings: [fault('credentials', inWords(error), advice)], canAsk: false };
  }
}

async function configuredRegion(): Promise<string | undefined> {
  try {
    return (await run('aws', ['configure', 'get', 'region'])).trim() || undefined;
  } catch (error) {
    // A missing command is the subject of the next call.
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** The caller is the same in each region. */
function regional(region: string | undefined): string[] {
  return region === undefined ? ['--region', 'us-east-1'] : [];
}

function assess(region: string | undefined): Finding {
  if (region !== undefined) return ok('region', region);
  return fault(
    'region',
    'none is set: the CDK would take us-east-1',
    '`export AWS_REGION=…`, or `aws configure set region …`.',
  );
}
