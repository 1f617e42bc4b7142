import { WriteFailure, type WriteWords, writeFailure } from '../../feedback/write-failure.tsx';

const WORDS: WriteWords = {
  rejected: 'The job was not created',
  done: 'the job was created',
  next: 'Trying again with the same input creates no second job.',
};

/** What is known after a failed creation of a job whose request had an idempotency key. */
export const creationFailure = (error: Error) => writeFailure(error, WORDS);

/** Shows it in a form. */
export function CreationFailure({ error }: { error: Error }) {
  return <WriteFailure error={error} {...WORDS} />;
}
