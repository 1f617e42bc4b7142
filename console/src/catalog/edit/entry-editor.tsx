import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { ConfirmEntry } from './confirm-entry.tsx';
import type { EntryFormPart } from './entry-kind.ts';
import { type EditedEntry, useEntryEditor } from './use-entry-editor.ts';

interface EntryEditorProps<Fields extends object> extends EditedEntry<Fields> {
  readonly children: (part: EntryFormPart<Fields>) => ReactNode;
}

/** The form of a rule or profile: shows what a save would change, then saves. */
export function EntryEditor<Fields extends object>({ children, ...edited }: EntryEditorProps<Fields>) {
  const { kind, present } = edited;
  const { what } = kind;
  const editor = useEntryEditor(edited);
  const { fields, errors, isEdit, changes, preview, save, effect } = editor;
  const isReady = changes.length > 0 && !preview.isPending && effect === undefined;
  useSubmitKey(() => isReady && editor.review());
  const failure = save.error ?? preview.error;
  return (
    <SpaceBetween size="m">
      <Header variant="h1">{isEdit ? `Edit ${what} ${editor.openedName}` : `New ${what}`}</Header>
      {present?.source === 'built_in' && (
        <Alert type="info">
          This {what} is built in. Saving replaces it in this deployment. Deleting the replacement restores it.
        </Alert>
      )}
      <Container>{children({ fields, errors, isEdit, onChange: editor.change })}</Container>
      {failure && Object.keys(errors).length === 0 && effect === undefined && (
        <Alert type="error" header={`The ${what} was not saved`}>
          {failure.message}
        </Alert>
      )}
      <SpaceBetween size="xs" direction="horizontal">
        <Button
          variant="primary"
          loading={preview.isPending}
          disabled={changes.length === 0}
          disabledReason="No changes yet."
          onClick={editor.review}
        >
          Review
        </Button>
        <Button variant="link" onClick={editor.discard}>
          Discard
        </Button>
      </SpaceBetween>
      {effect !== undefined && (
        <ConfirmEntry
          {...{ what, isEdit, effect, changes }}
          name={editor.name}
          outdated={editor.isOutdated}
          saving={save.isPending}
          onSave={editor.apply}
          onDismiss={editor.dismiss}
        />
      )}
    </SpaceBetween>
  );
}
