import type * as z from 'zod';
import type { FieldErrors } from '../../form/field-errors.ts';

/** What the form needs for one kind of entries. */
export interface EntryKind<Fields extends object> {
  readonly what: 'rule' | 'profile' | 'template';
  /** The key in a configuration document, and the path of its page. */
  readonly list: 'rules' | 'profiles' | 'templates';
  /** The field that names an entry. */
  readonly key: keyof Fields & string;
  readonly fields: z.ZodType<Fields>;
  /** In the form's order. */
  readonly labels: Readonly<Record<keyof Fields & string, string>>;
  /** The entry of a configuration document, not yet validated. */
  readonly entryOf: (fields: Fields) => Record<string, unknown>;
  /** What the API would reject, by field, or by `FIELD.ROW` in a field with rows. */
  readonly validationErrorsOf: (fields: Fields) => FieldErrors<string>;
  /** A field as text, for the comparison of before and after. */
  readonly textOf: (fields: Fields, name: keyof Fields & string) => string;
}

/** The props of the form's fields. */
export interface EntryFormPart<Fields> {
  readonly fields: Fields;
  readonly errors: FieldErrors<string>;
  /** Whether the entry exists, so that its name can't change. */
  readonly isEdit: boolean;
  readonly onChange: (change: Partial<Fields>) => void;
}
