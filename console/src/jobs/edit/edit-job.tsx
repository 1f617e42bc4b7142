import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import * as z from 'zod';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { useStoredFields } from '../../form/stored-fields.ts';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { changesOf, editOf, fieldsOf, JOB_FIELDS, type JobErrors } from '../form/job-fields.ts';
import { JobForm } from '../form/job-form.tsx';
import type { Job } from '../queries/job-query.ts';
import { ConfirmEdit } from './confirm-edit.tsx';
import { editErrors } from './edit-errors.ts';

/** The settings of the job when the form opened, and the form's: after a reload, too, only what was edited is sent. */
const EDIT = z
  .object({ opened: JOB_FIELDS, edited: JOB_FIELDS })
  .refine(({ opened, edited }) => changesOf(opened, edited).length > 0);

/** The form with the current settings of a job. Unsaved changes stay in the tab. */
export function EditJob({ job }: { job: Job }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [initial] = useState(() => {
    const current = fieldsOf(job);
    return { fields: { opened: current, edited: current }, openedAt: null };
  });
  const unsaved = useStoredFields(`edit.${job.id}`, EDIT, initial);
  const { opened, edited: fields } = unsaved.fields;
  const [errors, setErrors] = useState<JobErrors>({});
  const [asking, setAsking] = useState(false);
  const isDraft = job.status === 'DRAFT';
  const save = useMutation({
    mutationFn: async () => {
      const params = { path: { id: job.id } };
      const edit = editOf(opened, fields);
      if (isDraft) await dataOf(api.PATCH('/api/v1/jobs/{id}/draft', { params, body: edit as Schemas['DraftEdit'] }));
      else await dataOf(api.PATCH('/api/v1/jobs/{id}', { params, body: edit as Schemas['JobEdit'] }));
    },
    onSuccess: async () => {
      unsaved.forget();
      await client.invalidateQueries();
      await navigate(`/jobs/${job.id}`);
    },
    onError: async () => {
      setAsking(false);
      await client.invalidateQueries();
    },
  });
  const changes = changesOf(opened, fields);
  const ask = () => {
    const found = editErrors(opened, fields, isDraft);
    setErrors(found);
    if (Object.keys(found).length === 0) setAsking(true);
    else focusFirstError();
  };
  useSubmitKey(() => !asking && changes.length > 0 && ask());
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description={
          <Link className="job-link" to={`/jobs/${job.id}`}>
            {job.id}
          </Link>
        }
      >
        {isDraft ? 'Edit draft' : 'Edit job'}
      </Header>
      <JobForm
        editing
        withProject={isDraft}
        fields={fields}
        errors={errors}
        onChange={(change) => {
          unsaved.change(({ edited }) => ({ edited: { ...edited, ...change } }));
          setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in change))));
        }}
      />
      {save.error && (
        <WriteFailure
          error={save.error}
          rejected="The changes were not saved"
          done="the changes were saved"
          next="The link above opens the job with its current settings. Saving the same changes again is safe."
        />
      )}
      <SpaceBetween size="xs" direction="horizontal">
        <Button variant="primary" disabled={changes.length === 0} disabledReason="No changes yet." onClick={ask}>
          Review and save
        </Button>
        <Button
          variant="link"
          onClick={() => {
            unsaved.forget();
            void navigate(`/jobs/${job.id}`);
          }}
        >
          Discard changes
        </Button>
      </SpaceBetween>
      {asking && (
        <ConfirmEdit
          changes={changes}
          saving={save.isPending}
          onSave={() => save.mutate()}
          onDismiss={() => setAsking(false)}
        />
      )}
    </SpaceBetween>
  );
}
