import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { SANDBOXES } from '../../../../lib/contract/schemas/profile.ts';
import { ChoiceField } from '../../form/choice-field.tsx';
import type { EntryFormPart } from './entry-kind.ts';
import type { ProfileFields } from './profile-kind.ts';

const RESUMES = [
  { value: 'auto', label: "Continue the agent's session" },
  { value: 'never', label: 'Start from the prompt' },
] as const;
const TOOLS = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
] as const;
const FOLLOW_UPS = [
  { value: 'default', label: 'On for agents, off for scripts' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
] as const;
const DRIVES = [
  { value: 'auto', label: 'The agent takes messages' },
  { value: 'exec', label: 'It gets nothing but its prompt' },
] as const;
const VENDORS = [
  { value: 'own', label: "The agent's vendor" },
  { value: 'practice', label: "The local run's practice vendor" },
] as const;

/** The fields of a profile that say what its agent may do, and how it is driven. */
export function AgentRights(part: EntryFormPart<ProfileFields> & { readonly hasPractice: boolean }) {
  const { fields, errors, onChange, hasPractice } = part;
  return (
    <ColumnLayout columns={2}>
      <ChoiceField
        label="Sandbox"
        description="The sandbox of the agent's CLI. Deployed workers support only none: the container is the sandbox."
        error={errors.sandbox}
        value={fields.sandbox}
        choices={SANDBOXES.toReversed().map((value) => ({ value, label: value }))}
        onChange={(sandbox) => onChange({ sandbox })}
      />
      <ChoiceField
        label="After an interruption"
        description="A usage limit, a missing account, or the loss or stop of the worker."
        error={errors.resume}
        value={fields.resume}
        choices={RESUMES}
        onChange={(resume) => onChange({ resume })}
      />
      <ChoiceField
        label="Tools"
        description="What the agent can do with its job: report progress, attach files, ask people, start jobs."
        error={errors.tools}
        value={fields.tools}
        choices={TOOLS}
        onChange={(tools) => onChange({ tools })}
      />
      <FormField
        label="Profiles of started jobs"
        description="Other profiles that an agent may choose for the jobs it starts. Separate names with commas."
        errorText={errors.children}
      >
        <Input value={fields.children} onChange={({ detail }) => onChange({ children: detail.value })} />
      </FormField>
      <ChoiceField
        label="Follow-up blocks"
        description="Whether blocks in the final message of an agent, or in the output of a script, become jobs."
        error={errors.follow_ups}
        value={fields.follow_ups}
        choices={FOLLOW_UPS}
        onChange={(follow_ups) => onChange({ follow_ups })}
      />
      <ChoiceField
        label="Messages"
        description="Whether people can send the agent messages while it runs."
        error={errors.drive}
        value={fields.drive}
        choices={DRIVES}
        onChange={(drive) => onChange({ drive })}
      />
      {(hasPractice || fields.vendor === 'practice') && (
        <ChoiceField
          label="Vendor"
          description="The API that the agent calls."
          error={errors.vendor}
          value={fields.vendor}
          choices={VENDORS}
          onChange={(vendor) => onChange({ vendor })}
        />
      )}
    </ColumnLayout>
  );
}
