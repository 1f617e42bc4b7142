import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useDeferredValue, useState } from 'react';
import { type AutomationCreation, previewQuery, useCreateAutomation } from './automation-queries.ts';
import { NextRuns } from './next-runs.tsx';

const NIGHTLY = '0 3 * * *';
const CUSTOM = 'custom';
const SCHEDULES = [
  { value: NIGHTLY, label: 'Every night at 3:00' },
  { value: '0 3 * * MON-FRI', label: 'On weekdays at 3:00' },
  { value: '0 * * * *', label: 'Every hour' },
  { value: '0 9 * * MON', label: 'On Mondays at 9:00' },
  { value: CUSTOM, label: 'Another cron expression' },
];

const OVERLAPS = [
  { value: 'skip', label: 'Skip the new run' },
  { value: 'queue', label: 'Let the new job wait' },
  { value: 'replace', label: 'Cancel the old job' },
] as const;

/** Creates an automation. Its next instants are shown while the form is filled in. */
export function NewAutomation({ onDone }: { onDone: () => void }) {
  const create = useCreateAutomation();
  const [name, setName] = useState('');
  const [prompt, setPrompt] = useState('');
  const [project, setProject] = useState('');
  const [profile, setProfile] = useState('');
  const [chosen, setChosen] = useState(NIGHTLY);
  const [cron, setCron] = useState('30 2 * * *');
  const [timezone, setTimezone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>(OVERLAPS[0]);
  const body: AutomationCreation = {
    name: name.trim(),
    trigger: { schedule: { cron: chosen === CUSTOM ? cron : chosen, timezone: timezone.trim() } },
    job: { prompt, ...(profile.trim() !== '' && { profile: profile.trim() }) },
    overlap: overlap.value,
    ...(project.trim() !== '' && { project: project.trim() }),
  };
  // The schedule is previewed before there is a name or a prompt.
  const { name: _name, job: _job, ...rest } = body;
  const preview = useQuery(previewQuery(useDeferredValue({ name: 'preview', job: { prompt: 'true' }, ...rest })));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(body, { onSuccess: onDone });
  };
  return (
    <Modal
      visible
      header="New automation"
      closeAriaLabel="Close"
      onDismiss={onDone}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDone}>Cancel</Button>
            <Button variant="primary" form="new-automation" formAction="submit" loading={create.isPending}>
              Create automation
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <form id="new-automation" onSubmit={submit}>
        <SpaceBetween size="m">
          {create.error && (
            <Alert type="error" header="The automation was not created">
              {create.error.message}
            </Alert>
          )}
          <FormField label="Name">
            <Input value={name} placeholder="Nightly update" onChange={({ detail }) => setName(detail.value)} />
          </FormField>
          <FormField label="Prompt" description="What each of its jobs does.">
            <Textarea value={prompt} rows={3} onChange={({ detail }) => setPrompt(detail.value)} />
          </FormField>
          <FormField label="Schedule">
            <Select
              selectedOption={SCHEDULES.find(({ value }) => value === chosen) ?? null}
              options={SCHEDULES}
              onChange={({ detail }) => setChosen(detail.selectedOption.value ?? NIGHTLY)}
            />
          </FormField>
          {chosen === CUSTOM && (
            <FormField label="Cron expression" description="Minute, hour, day of the month, month, weekday.">
              <Input value={cron} spellcheck={false} onChange={({ detail }) => setCron(detail.value)} />
            </FormField>
          )}
          <FormField label="Time zone">
            <Input value={timezone} spellcheck={false} onChange={({ detail }) => setTimezone(detail.value)} />
          </FormField>
          <div aria-live="polite">
            <Box variant="awsui-key-label">Next runs</Box>
            {preview.data && <NextRuns automation={preview.data} />}
            {preview.error && <StatusIndicator type="error">{preview.error.message}</StatusIndicator>}
          </div>
          <FormField label="Project" description="Default: local_project.">
            <Input value={project} onChange={({ detail }) => setProject(detail.value)} />
          </FormField>
          <FormField label="Profile" description="Default: the default profile.">
            <Input value={profile} onChange={({ detail }) => setProfile(detail.value)} />
          </FormField>
          <FormField label="If its last job has not ended">
            <Select
              selectedOption={overlap}
              options={OVERLAPS}
              onChange={({ detail }) =>
                setOverlap(OVERLAPS.find(({ value }) => value === detail.selectedOption.value) ?? OVERLAPS[0])
              }
            />
          </FormField>
        </SpaceBetween>
      </form>
    </Modal>
  );
}
