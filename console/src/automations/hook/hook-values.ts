import * as z from 'zod';
import type { Schemas } from '../../api/client.ts';

type HookView = NonNullable<Schemas['Automation']['trigger']['hook']>;
type HookTrigger = NonNullable<Schemas['AutomationCreation']['trigger']['hook']>;

/** How deliveries prove that they are from the sender, as people read it. */
export const STYLES = [
  { value: 'github', label: 'GitHub' },
  { value: 'gitlab', label: 'GitLab' },
  { value: 'slack', label: 'Slack' },
  { value: 'standard_webhooks', label: 'Standard Webhooks' },
  { value: 'hmac', label: 'HMAC in a header' },
  { value: 'header_secret', label: 'Secret in a header' },
] as const satisfies readonly { readonly value: HookTrigger['verify']['style']; readonly label: string }[];

/** The form's values of a hook, as typed. */
export const HOOK_FIELDS = z.object({
  style: z.string(),
  header: z.string(),
  prefix: z.string(),
  encoding: z.enum(['hex', 'base64']),
  /** `values`: separated by commas; one that has a comma is in double quotes, as in JSON. */
  filter: z.array(z.object({ pointer: z.string(), values: z.string() })),
  map: z.array(z.object({ name: z.string(), pointer: z.string() })),
  id_header: z.string(),
  id_pointer: z.string(),
  drafts: z.boolean(),
});
export type HookFields = z.output<typeof HOOK_FIELDS>;

export const NEW_HOOK: HookFields = {
  ...{ style: 'github', header: '', prefix: '', encoding: 'hex', filter: [], map: [] },
  ...{ id_header: '', id_pointer: '', drafts: true },
};

/** Whether a style needs the name of a header. */
export const hasHeader = (style: string) => style === 'hmac' || style === 'header_secret';

/** The form's values for a hook. */
export function hookFieldsOf({ verify, filter, map, delivery_id: id, drafts }: HookView): HookFields {
  return {
    ...{ style: verify.style, header: verify.header ?? '', prefix: verify.prefix ?? '', drafts },
    encoding: verify.encoding ?? 'hex',
    filter: filter.map(({ pointer, one_of }) => ({
      pointer,
      values: one_of.map((value) => quotedIfNeeded(String(value))).join(', '),
    })),
    map: Object.entries(map).map(([name, pointer]) => ({ name, pointer })),
    ...{ id_header: id?.header ?? '', id_pointer: id?.pointer ?? '' },
  };
}

/** A hook as sent. Values of conditions are compared as text. */
export function hookOf(fields: HookFields): HookTrigger {
  const { style, header, prefix, encoding, drafts, id_header, id_pointer } = fields;
  const filter = fields.filter.map(({ pointer, values }) => ({ pointer: pointer.trim(), one_of: valuesIn(values) }));
  const map = fields.map.map(({ name, pointer }) => [name.trim(), pointer.trim()]);
  const hook = {
    verify: {
      style,
      ...(hasHeader(style) && { header: header.trim() }),
      ...(style === 'hmac' && { encoding, ...(prefix !== '' && { prefix }) }),
    },
    ...(filter.length > 0 && { filter }),
    ...(map.length > 0 && { map: Object.fromEntries(map) }),
    ...((id_header !== '' || id_pointer !== '') && {
      delivery_id: {
        ...(id_header !== '' && { header: id_header.trim() }),
        ...(id_pointer !== '' && { pointer: id_pointer.trim() }),
      },
    }),
    drafts,
  };
  return hook as HookTrigger;
}

const VALUE = /\s*"(?:[^"\\]|\\.)*"\s*|[^,]+/g;

function valuesIn(text: string): string[] {
  const parts = (text.match(VALUE) ?? []).map((part) => part.trim());
  return parts.filter((part) => part !== '').map(unquoted);
}

function unquoted(part: string): string {
  try {
    return part.startsWith('"') ? String(JSON.parse(part)) : part;
  } catch {
    return part;
  }
}

function quotedIfNeeded(value: string): string {
  return value === '' || value !== value.trim() || /[,"]/.test(value) ? JSON.stringify(value) : value;
}
