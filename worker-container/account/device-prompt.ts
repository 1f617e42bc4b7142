import { stripVTControlCharacters } from 'node:util';
import { MASK } from '../../lib/contract/mask.ts';

/** What a person needs for a device login. */
export interface DevicePrompt {
  readonly verificationUri: string;
  readonly userCode: string;
  /** Milliseconds, counted from when it was printed. */
  readonly expiresIn: number;
}

/**
 * Finds address and code in what `codex login --device-auth` (0.169.0) has printed so far. It prints colours in any
 * case. undefined: address or code is not printed yet.
 */
export function readDevicePrompt(printed: string): DevicePrompt | undefined {
  const text = stripVTControlCharacters(printed);
  const verificationUri = /^[ \t]*(https?:\/\/\S+)[ \t]*\r?$/m.exec(text)?.[1];
  // Match a whole line: the code may have arrived in part.
  const userCode = /^[ \t]*([A-Z0-9]{4}-[A-Z0-9]{4,6})[ \t]*\r?\n/m.exec(text)?.[1];
  if (verificationUri === undefined || userCode === undefined) return undefined;
  const minutes = Number(/expires in (\d+) minutes?/.exec(text)?.[1] ?? DEFAULT_MINUTES);
  return { verificationUri, userCode, expiresIn: minutes * 60_000 };
}

const DEFAULT_MINUTES = 15;

/** How a login without a credential ended. */
export interface LoginFailure {
  readonly state: 'failed' | 'expired';
  readonly error: string;
}

/** Parses what the CLI printed on stderr before it gave up. The result does not contain the code. */
export function readLoginFailure(stderr: string, code: string | undefined): LoginFailure {
  const lines = stripVTControlCharacters(stderr).split('\n');
  const said = lines.findLast((line) => line.startsWith('Error ')) ?? lines.findLast((line) => line.trim() !== '');
  const plain = (said ?? 'it said nothing').replace(/^Error logging in: /, '').trim();
  if (/timed out|status 410/.test(plain)) return { state: 'expired', error: 'The code was not entered in time.' };
  if (/is not enabled/.test(plain)) return { state: 'failed', error: NOT_ENABLED };
  if (/device auth failed with status 4\d\d/.test(plain))
    return { state: 'failed', error: 'The login was denied at the vendor.' };
  const withoutCode = code === undefined ? plain : plain.replaceAll(code, MASK);
  return { state: 'failed', error: `The vendor's CLI ended the login: ${withoutCode}` };
}

const NOT_ENABLED =
  'The vendor does not allow device codes for this account: enable device code authorization for Codex in the security settings of ChatGPT, then start again.';
