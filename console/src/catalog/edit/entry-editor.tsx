import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { notify } from '../../feedback/notices.tsx';
import type { FieldErrors } from '../../form/field-errors.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { useStoredFields } from '../../form/stored-fields.ts';
import { useSubmitKey } from '../../form/use-submit-key.ts';
import { ConfirmEntry } from './confirm-entry.tsx';
import type { EntryFormPart, EntryKind } from './entry-kind.ts';
import { type Effect, rejectedFields, useSaveEntry } from './use-save-entry.ts';

interface EntryEditorProps<Fields extends object> {
  readonly kind: EntryKind<Fields>;
  /** The initial values. */
  readonly opened: Fields;
  /** The stored entry; undefined for a new one. */
  readonly present: { readonly source: 'built_in' | 'imported'; readonly updated_at: string | null } | undefined;
  /** Names that are taken. */
  readonly taken: readonly string[];
  /** Reloads the stored entry. */
  readonly reload: () => Promise<unknown>;
  readonly children: (part: EntryFormPart<Fields>) => ReactNode;
}

/** The form of a rule or profile: shows what a save would change, then saves. */
export function EntryEditor<Fields extends object>(props: EntryEditorProps<Fields>) {
  const { kind, opened: openedFields, present, taken, reload, children } = props;
  const { what, list, key } = kind;
  const [opened] = useState(openedFields);
  const navigate = useNavigate();
  const isEdit = present !== undefined;
  const name = (of: Fields) => kind.textOf(of, key);
  const stored = useStoredFields(`${list}.${isEdit ? name(opened) : 'new'}`, kind.fields, {
    fields: opened,
    openedAt: present?.updated_at ?? null,
  });
  const { fields } = stored;
  const [errors, setErrors] = useState<FieldErrors<string>>({});
  const [effect, setEffect] = useState<Effect>();
  const preview = useSaveEntry();
  const save = useSaveEntry();
  const entry = kind.entryOf(fields);
  const changes = (Object.keys(kind.labels) as (keyof Fields & string)[])
    .map((field) => ({
      label: kind.labels[field],
      before: isEdit ? kind.textOf(opened, field) : '',
      after: kind.textOf(fields, field),
    }))
    .filter(({ before, after }) => before !== after);
  const show = (found: FieldErrors<string>) => {
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstError();
  };
  const onError = (error: Error) => {
    setEffect(undefined);
    show(rejectedFields(error));
  };
  const takenSentence = `A ${what} “${name(fields)}” already exists. Edit it, or choose another name.`;
  const review = () => {
    save.reset();
    const found = {
      ...kind.validationErrorsOf(fields),
      ...(!isEdit && taken.includes(name(fields)) && { [key]: takenSentence }),
    };
    show(found);
    if (Object.keys(found).length > 0) return;
    const onSuccess = (willBe: Effect) => {
      if (!isEdit && willBe !== 'created') return show({ [key]: takenSentence });
      const isReplacement = present?.source === 'built_in' && willBe === 'created';
      void reload().then(() => setEffect(isReplacement ? 'updated' : willBe));
    };
    preview.mutate({ list, entry, dryRun: true }, { onSuccess, onError });
  };
  const apply = () => {
    const onSuccess = () => {
      stored.forget();
      notify({ type: 'success', header: `The ${what} “${name(fields)}” was ${isEdit ? 'saved' : 'created'}` });
      void navigate(`/${list}`);
    };
    save.mutate({ list, entry, dryRun: false }, { onSuccess, onError });
  };
  const isReady = changes.length > 0 && !preview.isPending && effect === undefined;
  useSubmitKey(() => isReady && review());
  const failure = save.error ?? preview.error;
  return (
    <SpaceBetween size="m">
      <Header variant="h1">{isEdit ? `Edit ${what} ${name(opened)}` : `New ${what}`}</Header>
      {present?.source === 'built_in' && (
        <Alert type="info">
          This {what} is built in. Saving replaces it in this deployment. Deleting the replacement restores it.
        </Alert>
      )}
      <Container>
        {children({
          fields,
          errors,
          isEdit,
          onChange: (change) => {
            stored.change(change);
            setErrors((before) =>
              Object.fromEntries(Object.entries(before).filter(([field]) => !(String(field.split('.')[0]) in change))),
            );
          },
        })}
      </Container>
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
          onClick={review}
        >
          Review
        </Button>
        <Button
          variant="link"
          onClick={() => {
            stored.forget();
            void navigate(`/${list}`);
          }}
        >
          Discard
        </Button>
      </SpaceBetween>
      {effect !== undefined && (
        <ConfirmEntry
          what={what}
          name={name(fields)}
          isEdit={isEdit}
          effect={effect}
          outdated={isEdit && present.updated_at !== stored.openedAt}
          changes={changes}
          saving={save.isPending}
          onSave={apply}
          onDismiss={() => setEffect(undefined)}
        />
      )}
    </SpaceBetween>
  );
}
