import * as z from 'zod';
import { ruleEntry } from '../../../../lib/contract/schemas/config.ts';
import { fieldErrors } from '../../form/field-errors.ts';
import type { Rule } from '../catalog-queries.ts';
import type { EntryKind } from './entry-kind.ts';

const ruleFields = z.object({ id: z.string(), name: z.string(), text: z.string() });
/** The form's values. */
export type RuleFields = z.output<typeof ruleFields>;

/** The initial values of the form. */
export function ruleFieldsOf(rule: Rule | undefined): RuleFields {
  const { id = '', name = '', text = '' } = rule ?? {};
  return { id, name: name === id ? '' : name, text };
}

const entryOf = ({ id, name, text }: RuleFields) => ({
  id: id.trim(),
  ...(name.trim() !== '' && { name: name.trim() }),
  text,
});

/** The form of a rule. */
export const RULE_KIND: EntryKind<RuleFields> = {
  what: 'rule',
  list: 'rules',
  key: 'id',
  fields: ruleFields,
  labels: { id: 'ID', name: 'Name', text: 'Text' },
  entryOf,
  validationErrorsOf: (fields) => fieldErrors(ruleEntry, entryOf(fields)),
  textOf: (fields, name) => (name === 'text' ? fields.text : fields[name].trim()),
};
