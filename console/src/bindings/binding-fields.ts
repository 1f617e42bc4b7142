import { bindingWrite } from '../../../lib/contract/schemas/deploy-binding.ts';
import { type FieldFaults, fieldFaults, numberIn } from '../form/field-faults.ts';
import type { Binding, BindingWrite } from './binding-queries.ts';
import { fieldsOf, type ModeField } from './modes.ts';

/** What the form holds, as it was typed. */
export interface BindingFields {
  readonly binding_mode: Binding['binding_mode'];
  readonly project: string;
  readonly name: string;
  readonly typed: Partial<Record<ModeField, string>>;
  /** Whether a new secret is to take the place of the present one. */
  readonly rotate_secret: boolean;
}

/** What is wrong with which field. */
export type BindingFaults = FieldFaults<keyof BindingWrite>;

/** What stands in a field: what was typed, else what the binding has. A secret is never read. */
export function textIn({ typed }: BindingFields, binding: Binding | undefined, field: ModeField): string {
  const kept = field === 'secret' ? undefined : binding?.[field];
  return typed[field] ?? String(kept ?? '');
}

/** What is sent; of a binding that is there, what is absent stays as it is. Nothing of it is judged yet. */
export function writeOf(fields: BindingFields, binding: Binding | undefined): BindingWrite {
  const { binding_mode, project, name, rotate_secret } = fields;
  const given = fieldsOf(binding_mode)
    .map(([field, { isNumber }]) => [field, textIn(fields, binding, field).trim(), isNumber] as const)
    .filter(([, text]) => text !== '')
    .map(([field, text, isNumber]) => [field, isNumber ? numberIn(text) : text]);
  return {
    binding_mode,
    ...(binding ? { project_id: binding.project_id } : project.trim() !== '' && { project: project.trim() }),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...Object.fromEntries(given),
    ...(binding_mode === 'generic' && rotate_secret && { rotate_secret }),
  };
}

/** What of it the API would refuse, in its words. */
export function faultsOf(body: BindingWrite): BindingFaults {
  return fieldFaults<keyof BindingWrite>(bindingWrite, body);
}
