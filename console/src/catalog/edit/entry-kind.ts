import type * as z from 'zod';
import type { FieldFaults } from '../../form/field-faults.ts';

/** What a form needs to know of rules, or of profiles. */
export interface EntryKind<Fields extends object> {
  readonly what: 'rule' | 'profile';
  /** Where it stands in a configuration document, and where its page is. */
  readonly list: 'rules' | 'profiles';
  /** The field that names an entry. */
  readonly key: keyof Fields & string;
  readonly fields: z.ZodType<Fields>;
  /** In the form's order. */
  readonly labels: Readonly<Record<keyof Fields & string, string>>;
  /** The entry of a configuration document. Nothing of it is judged yet. */
  readonly entryOf: (fields: Fields) => Record<string, unknown>;
  /** What the API would refuse, by field; of a field with rows by `FIELD.ROW`. */
  readonly faultsOf: (fields: Fields) => FieldFaults<string>;
  /** A field as text, for the comparison of before and after. */
  readonly textOf: (fields: Fields, name: keyof Fields & string) => string;
}

/** What the fields of a form are given. */
export interface EntryFormPart<Fields> {
  readonly fields: Fields;
  readonly faults: FieldFaults<string>;
  /** Whether the entry exists: its name stays. */
  readonly isEdit: boolean;
  readonly onChange: (change: Partial<Fields>) => void;
}
