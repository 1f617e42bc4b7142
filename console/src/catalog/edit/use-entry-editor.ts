import { useState } from 'react';
import { useNavigate } from 'react-router';
import { notify } from '../../feedback/notices.tsx';
import type { FieldErrors } from '../../form/field-errors.ts';
import { focusFirstError } from '../../form/focus-first-error.ts';
import { useStoredFields } from '../../form/stored-fields.ts';
import type { EntryKind } from './entry-kind.ts';
import { type Effect, rejectedFields, useSaveEntry } from './use-save-entry.ts';

export interface EditedEntry<Fields extends object> {
  readonly kind: EntryKind<Fields>;
  /** The initial values. */
  readonly opened: Fields;
  /** The stored entry; undefined for a new one. */
  readonly present: { readonly source: 'built_in' | 'imported'; readonly updated_at: string | null } | undefined;
  /** Names that are taken. */
  readonly taken: readonly string[];
  /** Reloads the stored entry. Rejects if that fails. */
  readonly reload: () => Promise<unknown>;
}

/** The state of the form of a rule, profile or template. A save is reviewed before it is applied. */
export function useEntryEditor<Fields extends object>(edited: EditedEntry<Fields>) {
  const { kind, opened: openedFields, present, taken, reload } = edited;
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
  const preview = useSaveEntry(reload);
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
      setEffect(isReplacement ? 'updated' : willBe);
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
  const change = (changed: Partial<Fields>) => {
    stored.change(changed);
    setErrors((before) =>
      Object.fromEntries(Object.entries(before).filter(([field]) => !(String(field.split('.')[0]) in changed))),
    );
  };
  const discard = () => {
    stored.forget();
    void navigate(`/${list}`);
  };
  return {
    ...{ fields, errors, isEdit, changes, preview, save, effect, review, apply, change, discard },
    name: name(fields),
    openedName: name(opened),
    /** Someone else has changed the entry since the form was opened. */
    isOutdated: isEdit && present.updated_at !== stored.openedAt,
    /** Ends the review without saving. */
    dismiss: () => setEffect(undefined),
  };
}
