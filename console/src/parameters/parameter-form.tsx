import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useState } from 'react';
import { parameterName } from '../../../lib/contract/schemas/fields/parameter.ts';
import { parameterWrite } from '../../../lib/contract/schemas/parameter.ts';
import { WriteFailure } from '../feedback/write-failure.tsx';
import { type FieldErrors, fieldErrors } from '../form/field-errors.ts';
import { focusFirstError } from '../form/focus-first-error.ts';
import { fieldErrorOf } from '../form/issue-sentence.ts';
import { useSubmitKey } from '../form/use-submit-key.ts';
import { type Parameter, type ParameterInput, useSetParameter } from './parameter-queries.ts';

const schema = parameterWrite.extend({ name: parameterName });

interface ParameterFormProps {
  readonly project: string;
  /** The parameter to edit; undefined for a new one. */
  readonly parameter: Parameter | undefined;
  /** Whether it was removed. */
  readonly isRemoved: boolean;
  readonly onSet: () => void;
  readonly onClear: () => void;
}

/** Sets a parameter: a new one, one of the list, or again one that was removed. */
export function ParameterForm({ project, parameter, isRemoved, onSet, onClear }: ParameterFormProps) {
  const [given, setGiven] = useState<ParameterInput>({
    name: parameter?.name ?? '',
    value: parameter?.value ?? '',
    description: parameter?.description ?? '',
  });
  const [errors, setErrors] = useState<FieldErrors<keyof ParameterInput>>({});
  const set = useSetParameter(project);
  const isEdit = parameter !== undefined && !isRemoved;
  const change = (changed: Partial<ParameterInput>) => {
    setGiven({ ...given, ...changed });
    setErrors({});
  };
  const submit = () => {
    if (set.isPending) return;
    const found = fieldErrors<keyof ParameterInput>(schema, { ...given });
    setErrors(found);
    if (Object.keys(found).length > 0) return focusFirstError('[role=dialog]');
    const onError = ({ message }: Error) => {
      const fault = fieldErrorOf(message);
      if (fault === undefined) return;
      setErrors({ [fault.field]: fault.sentence });
      focusFirstError('[role=dialog]');
    };
    set.mutate(given, { onSuccess: onSet, onError });
  };
  useSubmitKey(submit);
  return (
    <SpaceBetween size="s">
      {isRemoved && (
        <Alert type="info">{parameter?.name} was removed. Running jobs keep it. To undo this, set it again.</Alert>
      )}
      {set.error && fieldErrorOf(set.error.message) === undefined && (
        <WriteFailure
          error={set.error}
          rejected="The parameter was not set"
          done="the parameter was set"
          next="Setting it again is safe."
        />
      )}
      <FormField label="Name" description="a-z, 0-9 and _, such as region." errorText={errors.name}>
        <Input
          value={given.name}
          spellcheck={false}
          autoComplete={false}
          readOnly={isEdit}
          onChange={({ detail }) => change({ name: detail.value })}
        />
      </FormField>
      <FormField label="Value" errorText={errors.value}>
        <Textarea
          value={given.value}
          rows={2}
          spellcheck={false}
          onChange={({ detail }) => change({ value: detail.value })}
        />
      </FormField>
      <FormField label="Description (optional)" errorText={errors.description}>
        <Input value={given.description} onChange={({ detail }) => change({ description: detail.value })} />
      </FormField>
      <SpaceBetween size="xs" direction="horizontal">
        <Button variant="primary" loading={set.isPending} onClick={submit}>
          {isEdit ? 'Save' : 'Set parameter'}
        </Button>
        {parameter !== undefined && <Button onClick={onClear}>Clear</Button>}
      </SpaceBetween>
    </SpaceBetween>
  );
}
