import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import { type Finding, fault, inWords, ok, warning } from '../finding.ts';

/** Milliseconds. */
const TIMEOUT_MS = 60_000;

const account = z.object({ ProductionAccessEnabled: z.boolean(), SendingEnabled: z.boolean() });
const identity = z.object({ VerifiedForSendingStatus: z.boolean() });

/**
 * Checks whether SES sends mails from an address, through the AWS CLI: whether the address or its domain is verified, and
 * the account is out of the sandbox. That a mail arrives only a person can see.
 */
export async function checkMail(from: string): Promise<Finding[]> {
  try {
    const { SendingEnabled, ProductionAccessEnabled } = account.parse(await ask('get-account'));
    const domain = from.slice(from.lastIndexOf('@') + 1);
    const isVerified = (await verifies(from)) || (await verifies(domain));
    return [
      ...(isVerified ? [] : [fault('mail', `neither ${from} nor ${domain} is verified`, VERIFY)]),
      ...(SendingEnabled ? [] : [fault('mail', 'SES has paused sending for the account', 'See the console of SES.')]),
      ...(ProductionAccessEnabled
        ? []
        : [warning('mail', 'SES is in the sandbox: it sends to verified addresses only', LEAVE)]),
      ...(isVerified && SendingEnabled ? [ok('mail', `${from} may send`)] : []),
    ];
  } catch (error) {
    return [
      warning(
        'mail',
        `could not be looked at: ${inWords(error)}`,
        'Install the AWS command line, or see why it fails.',
      ),
    ];
  }
}

const VERIFY =
  'Create the identity in the console of SES, in the Region of the deployment, and follow its mail or DNS records.';
const LEAVE = 'Verify each recipient, or request production access in the console of SES.';

async function verifies(name: string): Promise<boolean> {
  try {
    return identity.parse(await ask('get-email-identity', '--email-identity', name)).VerifiedForSendingStatus;
  } catch (error) {
    // There is no such identity.
    if (error instanceof Error && error.message.includes('NotFoundException')) return false;
    throw error;
  }
}

async function ask(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)('aws', ['sesv2', ...args, '--output', 'json'], { timeout: TIMEOUT_MS });
  return JSON.parse(stdout);
}
