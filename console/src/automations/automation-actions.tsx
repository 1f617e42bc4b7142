import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, dataOf } from '../api/client.ts';
import { useMayAct } from '../api/session.ts';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';
import { automationPath } from '../page/automation-link.tsx';
import { LinkButton } from '../page/link-button.tsx';
import { type Automation, automationsQuery } from './automation-queries.ts';

interface AutomationActionsProps {
  readonly automation: Automation;
  /** `link`: for a row of a list. */
  readonly variant: 'normal' | 'inline-link';
  /** Called once it is deleted. */
  readonly onDeleted?: () => void;
}

/** Runs an automation now, edits it, disables or enables it, deletes it. */
export function AutomationActions({ automation, variant, onDeleted }: AutomationActionsProps) {
  const { id, name, state } = automation;
  const mayAct = useMayAct();
  const navigate = useNavigate();
  const act = useActOnAutomation();
  const [isAsked, setAsked] = useState(false);
  if (!mayAct) return null;
  const toggle = state === 'active' || state === 'ended' ? 'disable' : 'enable';
  const word = toggle === 'disable' ? 'Disable' : state === 'paused' ? 'Resume' : 'Enable';
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button
        variant={variant}
        loading={act.isPending && act.variables.action === 'run'}
        ariaLabel={`Run now: ${name}`}
        onClick={() => act.mutate({ id, action: 'run' })}
      >
        Run now
      </Button>
      <Button variant={variant} ariaLabel={`Edit ${name}`} onClick={() => void navigate(`${automationPath(id)}/edit`)}>
        Edit
      </Button>
      <Button variant={variant} ariaLabel={`${word} ${name}`} onClick={() => act.mutate({ id, action: toggle })}>
        {word}
      </Button>
      <Button variant={variant} ariaLabel={`Delete ${name}`} onClick={() => setAsked(true)}>
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          action="Delete automation"
          busy={act.isPending}
          onDismiss={() => setAsked(false)}
          onConfirm={() =>
            act.mutate({ id, action: 'delete' }, { onSuccess: onDeleted, onSettled: () => setAsked(false) })
          }
        >
          {name} creates no more jobs, and its history is deleted. Its jobs stay.
        </ConfirmDialog>
      )}
    </SpaceBetween>
  );
}

/** What is done with an automation. */
type Action = 'enable' | 'disable' | 'run' | 'delete';

const DONE: Readonly<Record<Action, string>> = {
  enable: 'enabled',
  disable: 'disabled',
  run: 'run',
  delete: 'deleted',
};

/** Acts on an automation. */
function useActOnAutomation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, action }: { readonly id: string; readonly action: Action }) => {
      const params = { path: { id } };
      if (action === 'run') return (await dataOf(api.POST('/api/v1/automations/{id}/run', { params }))).id;
      if (action === 'delete') await dataOf(api.DELETE('/api/v1/automations/{id}', { params }));
      else await dataOf(api.PATCH('/api/v1/automations/{id}', { params, body: { enabled: action === 'enable' } }));
      return undefined;
    },
    onSuccess: (job, { action }) => {
      if (action === 'run' && job !== undefined)
        notify({
          type: 'success',
          header: 'Its job was created',
          action: <LinkButton to={`/jobs/${job}`}>Open job</LinkButton>,
        });
    },
    onError: (error, { action }) =>
      notify(
        writeFailure(error, {
          rejected: `The automation was not ${DONE[action]}`,
          done: `the automation was ${DONE[action]}`,
          next: 'The list shows its state.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: automationsQuery.queryKey }),
  });
}
