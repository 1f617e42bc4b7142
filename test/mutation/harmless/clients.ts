import type { Harmless } from './harmless.ts';

/** Mutants of the command line, the console, the doctor and the programs that change nothing of importance. */
export const CLIENTS: readonly Harmless[] = [
  {
    file: 'lib/doctor/service/check-service.ts',
    find: '<',
    replace: '<=',
    in: 'checkClock',
    reason: 'a time that is that of the request is neither before it nor after its answer, so either side finds 0',
  },
  {
    file: 'lib/doctor/service/check-service.ts',
    find: '>=',
    replace: '>',
    reason: 'clocks that differ by exactly so many milliseconds may be on either side',
  },
  {
    file: 'bin/bundle-worker.ts',
    find: "['module', 'main']",
    replace: "['main']",
    reason: 'packages do the same as CommonJS; the bundle is larger',
  },
  {
    file: 'console/src/form/use-submit-key.ts',
    find: 'event.preventDefault();',
    replace: ';',
    reason: 'where a browser submits by this key as well, a form that is sent twice creates one entry',
  },
  {
    file: 'lib/cli/commands/attachments.ts',
    find: 'attempt === undefined',
    replace: 'false',
    reason: 'the client of the API sends no parameter that is undefined; the check is for the compiler only',
  },
  {
    file: 'lib/cli/commands/say.ts',
    find: 'idempotencyKey === undefined',
    replace: 'false',
    reason: 'the client adds a key where that of the fields is undefined; the check is for the compiler only',
  },
  {
    file: 'lib/cli/base/terminal.ts',
    find: '<',
    replace: '<=',
    in: 'harmless',
    reason: 'the first character that is not below is a space, which controls nothing and is never replaced',
  },
  {
    file: 'lib/doctor/stores/check-output.ts',
    in: 'checkOutput',
    find: '<',
    replace: '<=',
    reason: 'one more batch, of no jobs, checks nothing',
  },
];
