import { findVendorBinary, type VendorBinary } from './vendor-binary.ts';

/** The native claude: `given`, or the one of the installed npm package. Throws a plain Error if there is none to execute. */
export async function findClaude(given: string | undefined): Promise<string> {
  return await findVendorBinary(CLAUDE, given);
}

const CLAUDE: VendorBinary = {
  name: 'claude',
  packageName: '@anthropic-ai/claude-code',
  variable: 'PROMPTQ_CLAUDE_BIN',
  paths: { 'linux-x64': 'claude', 'linux-arm64': 'claude', 'darwin-x64': 'claude', 'darwin-arm64': 'claude' },
};
