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
  {
    name: 'what a probing job does once it was retried is the result of its probe',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: '  if (probe.round !== job.round) return undefined;\n',
    replace: '',
    test: 'test/lib/jobs/admission/probes.test.ts',
  },
  {
    name: 'the jobs of one account probe before those of all others',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: 'if (new Set(tried).size < tried.length) passedOver.push(listed);\n    else if',
    replace: 'if',
    test: 'test/lib/jobs/admission/probes.test.ts',
  },
  {
    name: 'an account that has had its turn gets no other',
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: 'for (const listed of passedOver)',
    replace: 'for (const listed of passedOver.slice(passedOver.length))',
    test: 'test/lib/jobs/admission/probes.test.ts',
  },
  {
    name: "the result of a probe ends another job's probe too",
    file: 'lib/jobs/admission/parked-jobs.ts',
    find: 'if (probe?.job_id === before.id) await',
    replace: 'if (probe !== undefined) await',
    test: 'test/lib/jobs/admission/probes.test.ts',
  },
];
