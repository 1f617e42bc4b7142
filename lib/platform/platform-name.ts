import { existsSync } from 'node:fs';

/**
 * The platform, as npm's packages name it (`linux-x64`). `PROMPTQ_PLATFORM` makes the local run behave as on another one
 * (for tests): what only Linux has is then not used.
 */
export function platformName(): string {
  // biome-ignore lint/style/noProcessEnv: read where no environment has been parsed yet, by the service and by its worker
  return process.env.PROMPTQ_PLATFORM || `${process.platform}-${process.arch}`;
}

const HAS_PROC = existsSync('/proc/self/environ') && existsSync('/proc/self/stat');

/** Whether Linux's own means are there: `/proc`, network namespaces, `setpriv` and `prlimit`. */
export function isLinux(): boolean {
  return platformName().startsWith('linux-') && HAS_PROC;
}
