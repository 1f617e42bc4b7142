import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useState } from 'react';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { diagramName, diagramWrite } from '../../../../lib/contract/schemas/diagram.ts';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { fieldErrors } from '../../form/field-errors.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { type Diagram, useWriteDiagram } from '../diagram-queries.ts';

interface DiagramFormProps {
  readonly project: string;
  /** The diagram to edit; undefined for a new one. */
  readonly diagram?: Diagram;
  /** Names that a new one can't have. */
  readonly taken?: readonly string[];
  readonly onWritten: (diagram: Diagram) => void;
  readonly onDismiss: () => void;
}

/** Creates a diagram, or edits the text of one. */
export function DiagramForm({ project, diagram, taken = [], onWritten, onDismiss }: DiagramFormProps) {
  const [name, setName] = useState(diagram?.name ?? '');
  const [text, setText] = useState(diagram?.text ?? '');
  const [errors, setErrors] = useState<{ readonly name?: string; readonly text?: string }>({});
  const write = useWriteDiagram();
  const submit = () => {
    if (write.isPending) return;
    const found = { ...nameError(name, taken), ...fieldErrors<'text'>(diagramWrite, { text }) };
    setErrors(found);
    if (Object.keys(found).length > 0) return focusFirstError('[role=dialog]');
    write.mutate({ project, name, text }, { onSuccess: onWritten });
  };
  useSubmitKey(submit);
  return (
    <Modal
      visible
      size="large"
      header={diagram === undefined ? 'New diagram' : `Edit “${diagram.name}”`}
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween size="xs" direction="horizontal">
            <Button onClick={onDismiss}>Cancel</Button>
            <Button variant="primary" loading={write.isPending} onClick={submit}>
              {diagram === undefined ? 'Create' : 'Save'}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {write.error && (
          <WriteFailure
            error={write.error}
            rejected="The diagram was not saved"
            done="the diagram was saved"
            next="Saving it again is safe."
          />
        )}
        {diagram === undefined && (
          <FormField
            label="Name"
            description="Jobs find the diagram as a file with this name. It can't be changed later."
            constraintText={`Lower-case letters, digits, underscores and hyphens; at most ${LIMITS.diagrams.nameLength}.`}
            errorText={errors.name}
          >
            <Input
              autoFocus
              value={name}
              placeholder="order-flow"
              spellcheck={false}
              onChange={({ detail }) => setName(detail.value)}
            />
          </FormField>
        )}
        <FormField
          label="Text"
          description="In Mermaid's language. A fault is shown with its line when the diagram is drawn."
          stretch
          errorText={errors.text}
        >
          <Textarea
            rows={16}
            value={text}
            placeholder={'flowchart LR\n  Order --> Invoice'}
            spellcheck={false}
            onChange={({ detail }) => setText(detail.value)}
          />
        </FormField>
      </SpaceBetween>
    </Modal>
  );
}

function nameError(name: string, taken: readonly string[]): { readonly name?: string } {
  if (taken.includes(name)) return { name: 'A diagram of this name exists. Open it to edit it.' };
  const { error } = diagramName.safeParse(name);
  return error === undefined ? {} : { name: `${error.issues[0]?.message}.` };
}
