import type { Harmless } from './harmless.ts';

/** Mutants of the attempts of a worker that change nothing of importance. */
export const ATTEMPTS: readonly Harmless[] = [
  {
    file: 'worker-container/output/stream-shipper.ts',
    in: '#retrying',
    find: 'tries === undefined',
    replace: 'false',
    reason: 'a number of tries that is undefined is the default, as one that is absent',
  },
  {
    file: 'worker-container/output/output-intake.ts',
    in: 'close',
    find: '!this.#hasEnded',
    replace: 'true',
    reason: 'once the pipe has ended, each further look is over at once and finds it quiet',
  },
  {
    file: 'worker-container/attempt/continue-session.ts',
    in: 'continueOwn',
    find: 'restored.attempt !== undefined',
    replace: 'true',
    reason: 'for the compiler: the attempts of a chain are those of the job, so that their sessions have one',
  },
  {
    file: 'worker-container/attempt/continue-session.ts',
    in: 'foldersCopied',
    find: 'paths.length < known.length',
    replace: 'true',
    reason: 'a fork is younger than the job that it forks, so that the way back ends',
  },
  {
    file: 'worker-container/attempt/job-folder.ts',
    in: 'requireParentsFolder',
    find: "'path' in folder",
    replace: 'true',
    reason: 'for the compiler: a folder that is rejected was refused before',
  },
  {
    file: 'worker-container/attempt/job-folder.ts',
    in: 'requireParentsFolder',
    find: 'names === undefined',
    replace: 'false',
    reason: 'for the compiler: a folder that a job owns is below the workspaces',
  },
  {
    file: 'worker-container/attempt/attempt-folder.ts',
    in: 'removeShallow',
    find: 'below === undefined',
    replace: 'false',
    reason: 'going through what is undefined throws, which is caught and has the same answer',
  },
  {
    file: 'worker-container/attempt/attempt-report.ts',
    in: 'reportAttempt',
    find: 'receipt.documents.length > 0',
    replace: 'true',
    reason: 'without documents the output is small, or the worker has to stop: then nothing is written later either',
  },
  {
    file: 'worker-container/attempt/attempt-report.ts',
    in: 'afterEnd',
    find: "'job' in decision",
    replace: 'true',
    reason: 'for the compiler: an attempt that runs can always end',
  },
];
