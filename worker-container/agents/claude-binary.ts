import { findVendorBinary, type VendorBinary } from './vendor-binary.ts';

/** The native claude: `given`, or the installed npm package's. @throws Error with a plain message if it can't run */
export async function findClaude(given: string | undefined): Promise<string> {
  return await findVendorBinary(CLAUDE, given);
}

const CLAUDE: VendorBinary = {
  name: 'claude',
  packageName: '@anthropic-ai/claude-code',
  variable: 'PROMPTQ_CLAUDE_BIN',
  paths: { 'linux-x64': 'claude', 'linux-arm64': 'claude', 'darwin-x64': 'claude', 'darwin-arm64': 'claude' },
};
