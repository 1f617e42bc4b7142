import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { notify } from '../../feedback/notices.tsx';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { type Project, projectsQuery } from '../catalog-queries.ts';

const FIELDS = [
  [
    'repository',
    'Repository',
    'https, without credentials, such as https://git.example.com/shop.git. In a local run also /PATH of a folder that is open to jobs.',
  ],
  ['ref', 'Branch, tag or commit', "Where jobs start from. Default: the repository's default branch."],
  ['setup', 'Setup command', 'Runs once in each new working folder.'],
  ['secret', 'Secret', "Name of the secret with the repository's credentials, never its value."],
] as const;
type Field = (typeof FIELDS)[number][0];

/** Shows and sets a project's repository, and whether jobs with the same folder run one at a time. */
export function EditProject({ project, onDone }: { project: Project; onDone: () => void }) {
  const [given, setGiven] = useState(() => settingsOf(project));
  const client = useQueryClient();
  const edit = useMutation({
    mutationFn: async (body: Schemas['ProjectEdit']) =>
      await dataOf(api.PATCH('/api/v1/projects/{id}', { params: { path: { id: project.id } }, body })),
    onSuccess: async (settings) => {
      const { repository, ref } = settings;
      const content = repository
        ? `Its jobs use ${repository}${ref ? `, ${ref}` : ''}.`
        : 'The project has no repository.';
      notify({ type: 'success', header: `The settings of ${project.name} were saved`, content });
      onDone();
      await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    },
    onError: async () => await client.invalidateQueries({ queryKey: projectsQuery.queryKey }),
  });
  const body = changesOf(settingsOf(project), given);
  const bound = (name: Field) => ({
    value: given[name],
    spellcheck: false,
    onChange: ({ detail }: { detail: { value: string } }) => setGiven({ ...given, [name]: detail.value }),
  });
  return (
    <Modal
      visible
      header={`Settings of “${project.name}”`}
      closeAriaLabel="Close"
      onDismiss={onDone}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDone}>Cancel</Button>
            <Button
              variant="primary"
              disabled={Object.keys(body).length === 0}
              loading={edit.isPending}
              onClick={() => edit.mutate(body)}
            >
              Save
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {edit.error && (
          <WriteFailure
            error={edit.error}
            rejected="The settings were not saved"
            done="the settings were saved"
            next="Saving them again is safe."
          />
        )}
        <Box color="text-body-secondary">
          Each job without a folder runs in a separate git worktree of the repository, if there is one.
        </Box>
        {FIELDS.map(([name, label, hint]) => (
          <FormField key={name} label={label} description={hint}>
            {name === 'setup' ? <Textarea {...bound(name)} rows={2} /> : <Input {...bound(name)} />}
          </FormField>
        ))}
        <Checkbox
          checked={given.exclusive_cwd}
          description="Other jobs with the same folder wait until it is free."
          onChange={({ detail }) => setGiven({ ...given, exclusive_cwd: detail.checked })}
        >
          Run one job per folder at a time
        </Checkbox>
      </SpaceBetween>
    </Modal>
  );
}

type Settings = Record<Field, string> & { exclusive_cwd: boolean };

function settingsOf({ repository, ref, setup, secret, exclusive_cwd }: Project): Settings {
  return { repository: repository ?? '', ref: ref ?? '', setup: setup ?? '', secret: secret ?? '', exclusive_cwd };
}

/** The request body. An emptied setting is removed. */
function changesOf(before: Settings, after: Settings): Schemas['ProjectEdit'] {
  const texts = FIELDS.map(([name]) => [name, after[name].trim()] as const);
  return {
    ...Object.fromEntries(texts.filter(([name, text]) => text !== before[name])),
    ...(after.exclusive_cwd !== before.exclusive_cwd && { exclusive_cwd: after.exclusive_cwd }),
  };
}
