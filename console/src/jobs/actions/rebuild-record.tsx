import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { mayHaveTakenEffect } from '../../api/may-have-taken-effect.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';

/** A rebuild ends after 15 minutes at the latest: a function's limit. */
const LONGEST_MS = 15 * 60_000;

/** Until when a rebuild whose outcome is unknown may still run, by job: the service is not told that we no longer wait. */
const mayRunUntil = new Map<string, number>();

/** Confirms the rebuild of a job's record, runs it, and reports the corrections. */
export function RebuildRecord({ id, onDismiss }: { id: string; onDismiss: () => void }) {
  const client = useQueryClient();
  const rebuild = useMutation({
    mutationFn: async () => await dataOf(api.POST('/api/v1/jobs/{id}/reread-logs', { params: { path: { id } } })),
    onSuccess: ({ refreshed, recovered_follow_up_ids: recovered }) => {
      const followUps = recovered.map((job) => `follow-up job ${job}`);
      const corrected = [...refreshed, ...followUps];
      notify(
        corrected.length === 0
          ? { type: 'success', header: 'The record is correct', content: 'It matches the stored output.' }
          : { type: 'success', header: 'The record was corrected', content: `Corrected: ${corrected.join(', ')}.` },
      );
    },
    onError: (error) => {
      if (mayHaveTakenEffect(error)) mayRunUntil.set(id, Date.now() + LONGEST_MS);
      notify(
        writeFailure(error, {
          rejected: 'The record could not be rebuilt',
          done: 'the record was rebuilt',
          next: 'The rebuild may still be running. It needs no repetition: this page shows what it corrects.',
        }),
      );
    },
    onSettled: async () => {
      onDismiss();
      await client.invalidateQueries();
    },
  });
  const runsUntil = mayRunUntil.get(id) ?? 0;
  if (runsUntil > Date.now())
    return (
      <ConfirmDialog action="Rebuild record" disabled onConfirm={onDismiss} onDismiss={onDismiss}>
        The outcome of the last rebuild is unknown, and it may still be running. Another one is possible at{' '}
        {new Date(runsUntil).toLocaleTimeString()}.
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      action="Rebuild record"
      busy={rebuild.isPending}
      onConfirm={() => rebuild.mutate()}
      onDismiss={onDismiss}
    >
      A rebuild reads the stored output of every attempt again. It corrects sizes, usage, session and final messages in
      the job&apos;s record, and creates missing follow-up jobs. It skips a running attempt.
    </ConfirmDialog>
  );
}
