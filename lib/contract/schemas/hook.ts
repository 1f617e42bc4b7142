import * as z from 'zod';
import { HOOK_STYLES } from '../automation-choices.ts';
import { knownOrLater } from '../later-code.ts';
import { LIMITS } from '../limits.ts';
import { unknownMember } from './fields/entry.ts';
import { timestamp } from './fields/text.ts';

const { hooks } = LIMITS;

const headerName = z
  .string()
  .max(hooks.headerLength)
  .regex(/^[A-Za-z0-9-]+$/, 'expected the name of a header, such as X-Signature')
  .toLowerCase();
const pointer = z
  .string()
  .max(hooks.pointerLength)
  .regex(/^(\/([^~/]|~[01])*)*$/, 'expected a JSON Pointer, such as /issue/title');
const scalar = z.union([z.string().max(hooks.valueLength), z.number(), z.boolean(), z.null()]);

const verifyShape = {
  style: z.enum(HOOK_STYLES).meta({ description: 'How deliveries prove that they are from the sender.' }),
  header: headerName.optional().meta({
    description: 'The header with the signature (`hmac`) or the secret (`header_secret`), which need it.',
  }),
  prefix: z
    .string()
    .max(hooks.headerLength)
    .optional()
    .meta({ description: 'What is before the signature in the header, such as `sha256=`. Only for `hmac`.' }),
  encoding: z
    .enum(['hex', 'base64'])
    .optional()
    .meta({ description: 'How the signature is written. Only for `hmac`. Default: `hex`.' }),
};
const conditionShape = {
  pointer,
  one_of: z
    .array(scalar)
    .min(1)
    .max(hooks.values)
    .meta({ description: 'The values that pass. They are compared as text.' }),
};
const deliveryIdShape = { header: headerName.optional(), pointer: pointer.optional() };

const shape = {
  verify: z.strictObject(verifyShape, { error: unknownMember(verifyShape) }),
  filter: z
    .array(z.strictObject(conditionShape, { error: unknownMember(conditionShape) }))
    .max(hooks.conditions)
    .optional()
    .meta({ description: 'Conditions on the body. Deliveries that do not meet all of them create no job.' }),
  map: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'expected a name such as issue_title'), pointer)
    .refine((map) => Object.keys(map).length <= hooks.mapped, `at most ${hooks.mapped} are allowed`)
    .optional()
    .meta({
      description: 'The values of the body that the prompt gets, as JSON Pointers by name. Default: the whole body.',
    }),
  delivery_id: z
    .strictObject(deliveryIdShape, { error: unknownMember(deliveryIdShape) })
    .optional()
    .meta({
      description:
        'Where the sender writes the id of a delivery, by which repeated ones are recognized: a header, or a JSON Pointer into the body. Default: where the style has it.',
    }),
  drafts: z.boolean().optional().meta({ description: 'It creates drafts, which a person submits. Default: false.' }),
};

/** What a hook is set to. */
export const hookTrigger = z.strictObject(shape, { error: unknownMember(shape) });
export type HookTrigger = z.output<typeof hookTrigger>;

/** A hook as read. */
export const hookView = z.object({
  path: z.string().meta({ description: 'Where the sender posts to.', example: '/api/v1/hooks/triage' }),
  verify: z.object({
    style: knownOrLater(HOOK_STYLES),
    header: z.string().nullable(),
    prefix: z.string().nullable(),
    encoding: z.enum(['hex', 'base64']).nullable(),
  }),
  filter: z.array(z.object({ pointer: z.string(), one_of: z.array(scalar) })),
  map: z.record(z.string(), z.string()),
  delivery_id: z.object({ header: z.string().nullable(), pointer: z.string().nullable() }).nullable(),
  drafts: z.boolean(),
  secret: z.string().nullable().meta({ description: 'Only in the answer to the request that made it.' }),
});

/** Why a request to a hook was refused. */
export const REFUSALS = {
  signature: 'The signature or the secret is missing or wrong.',
  timestamp: `The signature is more than ${hooks.toleranceSeconds} s old, or of the future.`,
  too_large: `The body has more than ${hooks.bodyBytes} bytes.`,
  encoding: 'The body is encoded. Send it without content-encoding.',
  media_type: 'The media type is not one that this style allows.',
  not_json: 'The body is not valid JSON.',
  too_deep: `The body has more than ${hooks.depth} levels.`,
} as const;
export type Refusal = keyof typeof REFUSALS;

export const DELIVERY_OUTCOMES = ['accepted', 'filtered', 'fired', 'skipped', 'failed'] as const;

const delivery = z
  .object({
    id: z.string(),
    received_at: timestamp,
    kind: knownOrLater(['sent', 'test', 'resent']),
    resent_of: z.string().nullable().meta({ description: 'The delivery that was sent again.' }),
    sender_id: z.string().nullable().meta({ description: 'The id that the sender gave it.' }),
    event: z.string().nullable().meta({ description: 'The event that the sender named in a header.' }),
    bytes: z.number().int(),
    body: z
      .string()
      .meta({ description: `The first ${hooks.excerptLength} characters. What looks like a secret is masked.` }),
    outcome: knownOrLater(DELIVERY_OUTCOMES).meta({
      description: '`accepted`: not evaluated yet. `filtered`, `skipped`, `failed`: no job, and `reason` says why.',
    }),
    reason: z.string().nullable(),
    job_id: z.string().nullable(),
  })
  .meta({ id: 'HookDelivery' });
export type DeliveryView = z.output<typeof delivery>;

export const deliveryList = z
  .object({
    items: z.array(delivery),
    refused: z
      .array(z.object({ code: knownOrLater(Object.keys(REFUSALS)), message: z.string(), at: timestamp }))
      .meta({ description: 'The last request that was refused for each reason. Of these, nothing else is kept.' }),
  })
  .meta({ id: 'HookDeliveryList' });

const bodyText = z.string().min(2).max(hooks.bodyBytes).meta({ description: 'The body, as JSON text.' });
/** `POST /automations/{id}/deliveries`. */
export const testDelivery = z.strictObject({ body: bodyText }).meta({ id: 'HookTestDelivery' });

const { secretLength: SECRET_LENGTH } = hooks;
const SECRET = new RegExp(`^[\\x21-\\x7e]{${SECRET_LENGTH.min},${SECRET_LENGTH.max}}$`);

/** `POST /automations/{id}/secret`. */
export const secretChange = z
  .strictObject({
    secret: z
      .string()
      .regex(SECRET, `expected ${SECRET_LENGTH.min} to ${SECRET_LENGTH.max} printable characters without blanks`)
      .optional()
      .meta({ description: 'The secret that the sender made, as with Slack. Default: a new one is made.' }),
  })
  .meta({ id: 'HookSecretChange' });

export const hookSecret = z
  .object({ secret: z.string().meta({ description: 'It is not shown again.' }) })
  .meta({ id: 'HookSecret' });

export const acceptedDelivery = z.object({ id: z.string() }).meta({ id: 'HookAccepted' });
