import { bindingWrite } from '../../../lib/contract/schemas/deploy-binding.ts';
import { type FieldErrors, fieldErrors, numberIn } from '../form/field-errors.ts';
import type { Binding, BindingWrite } from './binding-queries.ts';
import { fieldsOf, type ModeField } from './modes.ts';

/** The form's values as typed. */
export interface BindingFields {
  readonly binding_mode: Binding['binding_mode'];
  readonly project: string;
  readonly name: string;
  readonly typed: Partial<Record<ModeField, string>>;
  /** Whether to replace the current secret with a new one. */
  readonly rotate_secret: boolean;
}

/** Validation errors by field. */
export type BindingErrors = FieldErrors<keyof BindingWrite>;

/** A field's value: the typed one, otherwise the binding's. A secret is never read. */
export function textIn({ typed }: BindingFields, binding: Binding | undefined, field: ModeField): string {
  const kept = field === 'secret' ? undefined : binding?.[field];
  return typed[field] ?? String(kept ?? '');
}

/** The request body, not yet validated. Fields that are absent keep an existing binding's values. */
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

/** What the API would reject, by field. */
export function validationErrorsOf(body: BindingWrite): BindingErrors {
  return fieldErrors<keyof BindingWrite>(bindingWrite, body);
}
