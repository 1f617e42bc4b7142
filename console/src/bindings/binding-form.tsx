import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { BINDING_MODES } from '../../../lib/contract/schemas/jobs/job-deployment.ts';
import { WriteFailure } from '../feedback/write-failure.tsx';
import { projectsQuery } from '../form/catalog-choices.ts';
import { nearestName } from '../form/did-you-mean.ts';
import { focusFirstError, scrollToFirstError } from '../form/focus-first-error.ts';
import { fieldErrorOf } from '../form/issue-sentence.ts';
import { useSubmitKey } from '../form/use-submit-key.ts';
import { type BindingErrors, type BindingFields, validationErrorsOf, writeOf } from './binding-fields.ts';
import { BindingFormFields } from './binding-form-fields.tsx';
import { type Binding, useWriteBinding } from './binding-queries.ts';

const DIALOG = '[role=dialog]';

const LOST_SECRET = ' If a secret was generated, it is not shown again: edit the binding and generate a new one.';

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
  const [isDue, setIsDue] = useState(false);
  const change = (changed: Partial<BindingFields>) => {
    setFields({ ...fields, ...changed });
    setErrors({});
    setIsDue(false);
  };
  /** Confirms a project that does not exist, because the binding would create it. */
  const unknownProject = (): UnknownProject | undefined => {
    const project = fields.project.trim();
    if (binding !== undefined || project === '' || projects.data === undefined) return undefined;
    if (projects.data.some(({ id, name }) => id === project || name === project)) return undefined;
    const names = projects.data.map(({ name }) => name);
    return { project, meant: nearestName(project, names) };
  };
  // Until then it is unknown whether the project exists.
  const isChecking = binding === undefined && projects.isLoading;
  const submit = () => {
    if (write.isPending) return;
    setIsDue(isChecking);
    if (isChecking) return;
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
  useEffect(() => {
    if (isDue && !isChecking) submit();
  });
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
            <Button variant="primary" loading={write.isPending || isChecking} onClick={submit}>
              {binding ? 'Save' : 'Create'}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {write.error && fieldErrorOf(write.error.message) === undefined && (
          <WriteFailure
            error={write.error}
            rejected="The binding was not saved"
            done="the binding was saved"
            next={`Saving it again is safe.${fields.binding_mode === 'generic' ? LOST_SECRET : ''}`}
          />
        )}
        <BindingFormFields
          {...{ binding, fields, errors }}
          meant={errors.project === undefined ? undefined : question?.meant}
          onChange={change}
        />
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
