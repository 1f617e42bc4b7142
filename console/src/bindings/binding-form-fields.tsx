import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { BINDING_MODES } from '../../../lib/contract/schemas/jobs/job-deployment.ts';
import { ChoiceField } from '../form/choice-field.tsx';
import { ProjectField } from '../form/project-field.tsx';
import { type BindingErrors, type BindingFields, textIn } from './binding-fields.ts';
import type { Binding } from './binding-queries.ts';
import { fieldsOf, MODES } from './modes.ts';

const MODE_CHOICES = BINDING_MODES.map((value) => {
  const { label, description } = MODES[value];
  return { value, label, description };
});

interface BindingFormFieldsProps {
  /** The binding to edit; undefined for a new one. */
  readonly binding: Binding | undefined;
  readonly fields: BindingFields;
  readonly errors: BindingErrors;
  /** The existing project that an unknown one may stand for. */
  readonly meant: string | undefined;
  readonly onChange: (changed: Partial<BindingFields>) => void;
}

/** The fields of a binding: project and name of a new one, mode, and the fields of the mode. */
export function BindingFormFields(props: BindingFormFieldsProps) {
  const { binding, fields, errors, onChange } = props;
  const { binding_mode: mode } = fields;
  return (
    <SpaceBetween size="m">
      {!binding && <NewBindingFields {...props} />}
      <ChoiceField
        label="Mode"
        value={mode}
        choices={MODE_CHOICES}
        onChange={(binding_mode) => onChange({ binding_mode })}
      />
      {fieldsOf(mode).map(([name, { label, hint, isNumber }]) => (
        <FormField
          key={name}
          label={label}
          description={binding && name === 'secret' ? 'Leave empty to keep the current value.' : hint}
          errorText={errors[name]}
        >
          <Input
            value={textIn(fields, binding, name)}
            spellcheck={false}
            {...(isNumber && { inputMode: 'numeric' as const })}
            autoComplete={name === 'secret' ? 'off' : true}
            onChange={({ detail }) => onChange({ typed: { ...fields.typed, [name]: detail.value } })}
          />
        </FormField>
      ))}
      {binding && mode === 'generic' && (
        <Checkbox
          checked={fields.rotate_secret}
          description={`Calls are signed with both secrets for ${LIMITS.deployBindings.formerSecretSeconds / 3600} hours. The new secret is shown once.`}
          onChange={({ detail }) => onChange({ rotate_secret: detail.checked })}
        >
          Generate a new secret
        </Checkbox>
      )}
    </SpaceBetween>
  );
}

/** Project and name, which can't be changed later. */
function NewBindingFields({ fields, errors, meant, onChange }: BindingFormFieldsProps) {
  return (
    <SpaceBetween size="m">
      <ProjectField
        description="ID or name."
        errorText={errors.project}
        secondaryControl={
          meant !== undefined && <Button onClick={() => onChange({ project: meant })}>{`Use “${meant}”`}</Button>
        }
        value={fields.project}
        onChange={(project) => onChange({ project })}
      />
      <FormField
        label="Name"
        description="Defaults to the mode. If a binding with this name exists, it is changed."
        errorText={errors.name}
      >
        <Input value={fields.name} onChange={({ detail }) => onChange({ name: detail.value })} />
      </FormField>
    </SpaceBetween>
  );
}
