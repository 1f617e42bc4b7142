import Alert from '@cloudscape-design/components/alert';
import { mayHaveTakenEffect } from '../../api/may-have-taken-effect.ts';

/** What is known after a failed creation of a job whose request had an idempotency key. */
export function creationFailure(error: Error) {
  if (!mayHaveTakenEffect(error))
    return { type: 'error', header: 'The job was not created', content: error.message } as const;
  return {
    type: 'warning',
    header: 'It is unknown whether the job was created',
    content: `${error.message} Trying again with the same input creates no second job.`,
  } as const;
}

/** Shows it in a form. */
export function CreationFailure({ error }: { error: Error }) {
  const { type, header, content } = creationFailure(error);
  return (
    <Alert type={type} header={header}>
      {content}
    </Alert>
  );
}
