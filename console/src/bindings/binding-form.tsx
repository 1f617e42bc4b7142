import Alert from '@cloudscape-design/components/alert';
import Autosuggest from '@cloudscape-design/components/autosuggest';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { BINDING_MODES } from '../../../lib/contract/schemas/job-deployment.ts';
import { projectsQuery } from '../form/catalog-choices.ts';
import { nearestName } from '../form/did-you-mean.ts';
import { focusFirstError, scrollToFirstError } from '../form/focus-first-error.ts';
import { fieldErrorOf } from '../form/issue-sentence.ts';
import { useSubmitKey } from '../form/use-submit-key.ts';
import { type BindingErrors, type BindingFields, textIn, validationErrorsOf, writeOf } from './binding-fields.ts';
import { type Binding, useWriteBinding } from './binding-queries.ts';
import { fieldsOf, MODES } from './modes.ts';

const DIALOG = '[role=dialog]';

interface BindingFormProps {
  /** The binding to edit; undefined for a new one. */
  readonly binding: Binding | undefined;
  readonly onWritten: (binding: Binding) => void;
  readonly onDismiss: () => void;
}

/** The form of a binding: project, name, mode, and the fields of the mode. */
export function BindingForm({ binding, onWritten, onDismiss }: BindingFormProps) {
  const [fields, setFields] = useState<BindingFields>({
    binding_mode: binding?.binding_mode ?? BINDING_MODES[0],
    project: '',
    name: binding?.name ?? '',
    typed: {},
    rotate_secret: false,
  });
  const [errors, setErrors] = useState<BindingErrors>({});
  const [question, setQuestion] = useState<UnknownProject>();

  const projects = useQuery(projectsQuery);
  const write = useWriteBinding();
  const change = (changed: Partial<BindingFields>) => {
    setFields({ ...fields, ...changed });
    setErrors({});
  };
  /** Confirms a project that does not exist, because the binding would create it. */
  const unknownProject = (): UnknownProject | undefined => {
    const project = fields.project.trim();
    if (binding !== undefined || project === '' || projects.data === undefined) return undefined;
    if (projects.data.some(({ id, name }) => id === project || name === project)) return undefined;
    const names = projects.data.map(({ name }) => name);
    return { project, meant: nearestName(project, names) };
  };
  const submit = () => {
    const body = writeOf(fields, binding);
    const found = validationErrorsOf(body);
    setErrors(found);
    if (Object.keys(found).length > 0) return focusFirstError(DIALOG);
    const unknown = unknownProject();
    if (unknown !== undefined && unknown.project !== question?.project) {
      setQuestion(unknown);
      setErrors({ project: questionText(unknown) });
      return scrollToFirstError(DIALOG);
    }
    const onError = ({ message }: Error) => {
      const fieldError = fieldErrorOf(message);
      if (fieldError === undefined) return;
      setErrors({ [fieldError.field]: fieldError.sentence });
      focusFirstError(DIALOG);
    };
    write.mutate(body, { onSuccess: onWritten, onError });
  };
  useSubmitKey(submit);
  const { binding_mode: mode } = fields;
  return (
    <Modal
      visible
      header={binding ? `Edit “${binding.name}” of ${binding.project}` : 'Create deploy binding'}
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>Cancel</Button>
            <Button variant="primary" loading={write.isPending} onClick={submit}>
              {binding ? 'Save' : 'Create'}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {write.error && fieldErrorOf(write.error.message) === undefined && (
          <Alert type="error">{write.error.message}</Alert>
        )}
        {!binding && (
          <>
            <FormField
              label="Project"
              description="ID or name."
              errorText={errors.project}
              secondaryControl={
                errors.project !== undefined &&
                question?.meant !== undefined && (
                  <Button onClick={() => change({ project: question.meant ?? '' })}>{`Use “${question.meant}”`}</Button>
                )
              }
            >
              <Autosuggest
                value={fields.project}
                clearAriaLabel="Clear"
                placeholder="local_project"
                enteredTextLabel={(text) => `Use "${text}"`}
                empty="No projects yet"
                options={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
                onChange={({ detail }) => change({ project: detail.value })}
              />
            </FormField>
            <FormField
              label="Name"
              description="Defaults to the mode. If a binding with this name exists, it is changed."
              errorText={errors.name}
            >
              <Input value={fields.name} onChange={({ detail }) => change({ name: detail.value })} />
            </FormField>
          </>
        )}
        <FormField label="Mode">
          <RadioGroup
            value={mode}
            items={BINDING_MODES.map((value) => ({
              value,
              label: MODES[value].label,
              description: MODES[value].description,
            }))}
            onChange={({ detail }) =>
              change({ binding_mode: BINDING_MODES.find((known) => known === detail.value) ?? mode })
            }
          />
        </FormField>
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
              onChange={({ detail }) => change({ typed: { ...fields.typed, [name]: detail.value } })}
            />
          </FormField>
        ))}
        {binding && mode === 'generic' && (
          <Checkbox
            checked={fields.rotate_secret}
            description={`Calls are signed with both secrets for ${LIMITS.deployBindings.formerSecretSeconds / 3600} hours. The new secret is shown once.`}
            onChange={({ detail }) => change({ rotate_secret: detail.checked })}
          >
            Generate a new secret
          </Checkbox>
        )}
      </SpaceBetween>
    </Modal>
  );
}

/** A project that the binding would create, and an existing project with a similar name, if any. */
interface UnknownProject {
  readonly project: string;
  readonly meant: string | undefined;
}

function questionText({ project, meant }: UnknownProject): string {
  const way = meant === undefined ? 'Choose one, or select' : `Did you mean “${meant}”? If not, select`;
  return `The project “${project}” does not exist. ${way} Create again to create it with this binding.`;
}
