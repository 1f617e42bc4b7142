import type { Harmless } from './harmless.ts';

/** Mutants of deployments and their calls that change nothing of importance. */
export const DEPLOYMENTS: readonly Harmless[] = [
  {
    file: 'lib/deployments/reconcile-deployments.ts',
    find: "job === 'newer'",
    replace: 'false',
    reason:
      'what only a later version can read has no known mark, so it is skipped; the check is for the compiler only',
  },
  {
    file: 'lib/deployments/reconcile-deployments.ts',
    in: 'reconcileDeploymentsOf',
    find: "state === 'pending'",
    replace: 'true',
    reason: 'what is not pending is a command that runs or ran, which is never the first one that waits',
  },
  {
    file: 'lib/deployments/reconcile-deployments.ts',
    in: 'reconcileDeploymentsOf',
    find: 'job.thread_id !== undefined',
    replace: 'true',
    reason: 'a job that is in no thread has no turns that could wait; the check is for the compiler only',
  },
  {
    file: 'lib/deployments/deliver-call.ts',
    find: 'result.status >= 200',
    replace: 'true',
    in: 'conclude',
    reason: 'Node passes on no answer with a status below 200, which is never the last one of a request',
  },
  {
    file: 'lib/deployments/calls/signed-call.ts',
    find: '>',
    replace: '>=',
    in: 'readAnswer',
    reason: 'an answer that ends exactly at the limit has nothing more to be read',
  },
  {
    file: 'lib/deployments/view-deployments.ts',
    find: 'open_url === undefined',
    replace: 'false',
    in: 'viewEditor',
    reason:
      'a binding whose template gives no link is not ready, and is left out before; the check is for the compiler',
  },
  {
    file: 'lib/deployments/view-deployments.ts',
    find: 'binding.open_url === undefined',
    replace: 'false',
    in: 'viewEditor',
    reason: 'a binding without a template is not ready, and is left out before; the check is for the compiler',
  },
  {
    file: 'lib/deployments/calls/signed-call.ts',
    find: '!(error instanceof Error)',
    replace: 'false',
    in: 'reasonOf',
    reason: 'Node and the library that signs throw nothing else; the check is for the compiler only',
  },
  {
    file: 'lib/deployments/calls/signed-call.ts',
    find: 'callback(null, first.address, first.family);',
    replace: ';',
    reason: 'Node asks for all addresses, unless the process is started without trying them in turn',
  },
];
