import type { Mutant } from '../mutant.ts';

/** How the vendor account is linked and its login renewed. */
export const ACCOUNT: readonly Mutant[] = [
  {
    name: 'a renewed login counts whichever it was made from',
    file: 'lib/accounts/account.ts',
    find: ' || account.generation !== from',
    replace: '',
    test: 'test/lib/accounts/account.test.ts',
  },
  {
    name: 'a login that was cancelled links all the same',
    file: 'lib/accounts/account.ts',
    find: 'if (!isUnderWay(login) || login.id !== id) return undefined;\n  const { listener',
    replace: 'if (login?.id !== id) return undefined;\n  const { listener',
    test: 'test/lib/accounts/account.test.ts',
  },
  {
    name: 'a job starts again without end with logins that others renew',
    file: 'lib/jobs/lifecycle/after-attempt.ts',
    find: ' && restarts <= MAX_LOGIN_RESTARTS',
    replace: '',
    test: 'test/lib/jobs/lifecycle/lifecycle.test.ts',
  },
  {
    name: 'another profile leaves a job waiting for the old account',
    file: 'lib/jobs/lifecycle/lifecycle.ts',
    find: '    isOfOther || isBusy(next.parked)',
    replace: '    isBusy(next.parked)',
    test: 'test/lib/jobs/decisions.test.ts',
  },
  {
    name: 'what a job does with another profile is the result of its probe',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: '  if (probe.profile !== undefined && probe.profile !== job.profile) return undefined;\n',
    replace: '',
    test: 'test/lib/jobs/admission/probes.test.ts',
  },
];
