import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { ConfirmEntry } from './confirm-entry.tsx';
import type { EntryFormPart } from './entry-kind.ts';
import { type EditedEntry, useEntryEditor } from './use-entry-editor.ts';

interface EntryEditorProps<Fields extends object> extends EditedEntry<Fields> {
  readonly children: (part: EntryFormPart<Fields>) => ReactNode;
}

/** The form of a rule, profile or template: shows what a save would change, then saves. */
export function EntryEditor<Fields extends object>({ children, ...edited }: EntryEditorProps<Fields>) {
  const { kind, present } = edited;
  const { what } = kind;
  const editor = useEntryEditor(edited);
  const { fields, errors, isEdit, changes, preview, save, effect } = editor;
  const isReady = changes.length > 0 && !preview.isPending && effect === undefined;
  useSubmitKey(() => isReady && editor.review());
  const isShown = Object.keys(errors).length === 0 && effect === undefined;
  const notSaved = `The ${what} was not saved`;
  return (
    <SpaceBetween size="m">
      <Header variant="h1">{isEdit ? `Edit ${what} ${editor.openedName}` : `New ${what}`}</Header>
      {present?.source === 'built_in' && (
        <Alert type="info">
          This {what} is built in. Saving replaces it in this deployment. Deleting the replacement restores it.
        </Alert>
      )}
      <Container>{children({ fields, errors, isEdit, onChange: editor.change })}</Container>
      {isShown && save.error && (
        <WriteFailure
          error={save.error}
          rejected={notSaved}
          done={`the ${what} was saved`}
          next="Another review compares this form with what is stored now."
        />
      )}
      {isShown && !save.error && preview.error && (
        <Alert type="error" header={notSaved}>
          {preview.error.message}
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
