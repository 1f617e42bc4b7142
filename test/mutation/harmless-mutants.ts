import { ADMISSION } from './harmless/admission.ts';
import { ATTEMPTS } from './harmless/attempts.ts';
import { CLIENTS } from './harmless/clients.ts';
import { DEPLOYMENTS } from './harmless/deployments.ts';
import type { Harmless } from './harmless/harmless.ts';
import { JOBS } from './harmless/jobs.ts';
import { LOCAL } from './harmless/local.ts';
import { PLATFORM } from './harmless/platform.ts';
import { RECONCILER } from './harmless/reconciler.ts';
import { SERVICE } from './harmless/service.ts';
import { WORKER } from './harmless/worker.ts';
import type { Mutant } from './mutant.ts';

/** Mutants that change nothing of importance, each with the reason. */
export const HARMLESS: readonly Harmless[] = [
  ...ADMISSION,
  ...ATTEMPTS,
  ...CLIENTS,
  ...DEPLOYMENTS,
  ...JOBS,
  ...LOCAL,
  ...PLATFORM,
  ...RECONCILER,
  ...SERVICE,
  ...WORKER,
];

/** Whether the reason of an entry holds for a mutant. */
export function isHarmlessAs(listed: Harmless, { name, file, find, replace }: Mutant): boolean {
  const isThere = listed.in === undefined || name.startsWith(`${file} ${listed.in}(): `);
  return listed.file === file && listed.find === find && listed.replace === replace && isThere;
}

/** Why a mutant changes nothing of importance; undefined: it may change something. */
export function harmlessReason(mutant: Mutant): string | undefined {
  return HARMLESS.find((listed) => isHarmlessAs(listed, mutant))?.reason;
}
