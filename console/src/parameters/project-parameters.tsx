import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMayAct } from '../api/session.ts';
import type { Project } from '../catalog/catalog-queries.ts';
import { WriteFailure } from '../feedback/write-failure.tsx';
import { ParameterForm } from './parameter-form.tsx';
import { type Parameter, parametersQuery, useRemoveParameter } from './parameter-queries.ts';
import './project-parameters.css';

/** What the form begins with. */
interface Draft {
  readonly parameter: Parameter | undefined;
  /** Whether its parameter was removed, so that the form can set it again. */
  readonly isRemoved: boolean;
}

const EMPTY: Draft = { parameter: undefined, isRemoved: false };

/** Shows the parameters of a project, and sets and removes them one by one. */
export function ProjectParameters({ project, onDone }: { project: Project; onDone: () => void }) {
  const mayAct = useMayAct();
  const list = useQuery({ ...parametersQuery(project.id), refetchOnMount: 'always' });
  const [draft, setDraft] = useState<Draft & { readonly count: number }>({ ...EMPTY, count: 0 });
  // Another count is another form.
  const begin = (next: Draft) => setDraft(({ count }) => ({ ...next, count: count + 1 }));
  const remove = useRemoveParameter(project.id);
  return (
    <Modal
      visible
      header={`Parameters of “${project.name}”`}
      closeAriaLabel="Close"
      onDismiss={onDone}
      footer={
        <Box float="right">
          <Button onClick={onDone}>Close</Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Box color="text-body-secondary">
          Jobs that start later get each one as an environment variable. Everyone who sees the project sees them:
          secrets don’t belong here.
        </Box>
        {remove.error && (
          <WriteFailure
            error={remove.error}
            rejected="The parameter was not removed"
            done="the parameter was removed"
            next="The list shows whether it still exists."
          />
        )}
        <Parameters
          list={list}
          actions={
            mayAct
              ? (parameter) => (
                  <SpaceBetween size="xs" direction="horizontal">
                    <Button
                      variant="inline-link"
                      ariaLabel={`Edit ${parameter.name}`}
                      onClick={() => begin({ parameter, isRemoved: false })}
                    >
                      Edit
                    </Button>
                    <Button
                      variant="inline-link"
                      ariaLabel={`Remove ${parameter.name}`}
                      disabled={remove.isPending}
                      onClick={() =>
                        remove.mutate(parameter.name, {
                          // The list may be older.
                          onSuccess: (removed) => begin({ parameter: removed, isRemoved: true }),
                        })
                      }
                    >
                      Remove
                    </Button>
                  </SpaceBetween>
                )
              : undefined
          }
        />
        {mayAct && (
          <ParameterForm
            key={draft.count}
            project={project.id}
            {...draft}
            onSet={() => begin(EMPTY)}
            onClear={() => begin(EMPTY)}
          />
        )}
      </SpaceBetween>
    </Modal>
  );
}

interface ParametersProps {
  readonly list: {
    readonly data: { readonly items: readonly Parameter[] } | undefined;
    readonly error: Error | null;
  };
  readonly actions: ((parameter: Parameter) => React.ReactNode) | undefined;
}

function Parameters({ list: { data, error }, actions }: ParametersProps) {
  if (data === undefined && error !== null)
    return (
      <Alert type="error" header="The parameters could not be loaded">
        {error.message}
      </Alert>
    );
  if (data === undefined) return <Spinner />;
  if (data.items.length === 0) return <Box>The project has no parameters.</Box>;
  return (
    <ul className="parameters">
      {data.items.map((parameter) => (
        <li key={parameter.name}>
          <div>
            <code>{parameter.variable}</code>
            {actions?.(parameter)}
          </div>
          <pre>{parameter.value === '' ? ' ' : parameter.value}</pre>
          {parameter.description !== null && (
            <Box variant="small" display="block">
              {parameter.description}
            </Box>
          )}
        </li>
      ))}
    </ul>
  );
}
