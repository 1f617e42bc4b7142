import { ApiFault } from '../api/api-fault.ts';

/** The faults that a refusal names, each with its place. */
export function faultsOf(error: Error): string[] {
  const faults: unknown = error instanceof ApiFault ? error.details.faults : undefined;
  return Array.isArray(faults) ? faults.map(String) : [error.message];
}
