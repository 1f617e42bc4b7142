import { findVendorBinary, type VendorBinary } from './vendor-binary.ts';

/** The native codex: `given`, or the installed npm package's. @throws Error with a plain message if it can't run */
export async function findCodex(given: string | undefined): Promise<string> {
  return await findVendorBinary(CODEX, given);
}

const CODEX: VendorBinary = {
  name: 'codex',
  packageName: '@openai/codex',
  variable: 'PROMPTQ_CODEX_BIN',
  paths: {
    'linux-x64': 'vendor/x86_64-unknown-linux-musl/bin/codex',
    'linux-arm64': 'vendor/aarch64-unknown-linux-musl/bin/codex',
    'darwin-x64': 'vendor/x86_64-apple-darwin/bin/codex',
    'darwin-arm64': 'vendor/aarch64-apple-darwin/bin/codex',
  },
};
