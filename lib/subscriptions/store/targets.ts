import { generateSecret } from '../../bindings/binding-secrets.ts';
import type { Reach } from '../../bindings/public-address.ts';
import { checkTarget } from '../../bindings/target-url.ts';
import { quoted } from '../../contract/input/legible.ts';
import type { TargetKind, TargetWrite } from '../../contract/schemas/subscription-target.ts';
import { slackFaults } from './slack-target.ts';

/** A fault of a field of a target, by the field's name. */
type Fault = readonly [field: string, problem: string];

/** What each kind of target is when it is written and read. `SENDERS` says how it sends. */
interface Target<K extends TargetKind> {
  /** Fields that are stored apart, are never read, and keep their values when they are left out. */
  readonly secretFields: readonly string[];
  /**
   * What is wrong with it besides its schema.
   * @param has the secret fields that it has: those that are given, and on a change those that it keeps
   */
  readonly faults: (written: NonNullable<TargetWrite[K]>, reach: Reach, has: ReadonlySet<string>) => Fault[];
  /** A secret that is generated if there is none; it is shown once. */
  readonly generated?: { readonly field: string; readonly make: () => string };
  /** Whether its sender can change a message that it has sent. */
  readonly changesMessages?: (settings: Readonly<Record<string, unknown>>) => boolean;
  /** The stored settings as clients see them. */
  readonly view: (settings: Readonly<Record<string, unknown>>) => object;
}

export const TARGETS: { readonly [K in TargetKind]: Target<K> } = {
  webhook: {
    secretFields: ['secret'],
    faults: ({ url, secret }, reach) => {
      const fault = checkTarget(url, reach);
      const bytes = secret === undefined ? 24 : Buffer.from(secret.slice('whsec_'.length), 'base64').length;
      return [
        ...(fault === undefined ? [] : [['url', `received ${quoted(url)}, which ${fault}`] as const]),
        ...(bytes >= 24 && bytes <= 64
          ? []
          : [['secret', `received ${bytes} bytes; 24 to 64 are allowed, in base64`] as const]),
      ];
    },
    generated: { field: 'secret', make: generateSecret },
    view: ({ url }) => ({ url }),
  },
  telegram: {
    secretFields: ['bot_token'],
    faults: (_written, _reach, has) =>
      has.has('bot_token') ? [] : [['bot_token', 'is missing; give the token that BotFather gave you']],
    changesMessages: () => true,
    view: ({ chat_id }) => ({ chat_id }),
  },
  slack: {
    secretFields: ['webhook_url', 'bot_token', 'signing_secret'],
    faults: slackFaults,
    changesMessages: ({ channel }) => channel !== undefined,
    view: ({ channel = null }) => ({ channel }),
  },
  email: { secretFields: [], faults: () => [], view: ({ to }) => ({ to }) },
};

/** A written target: its kind, its settings without secrets, and its secrets by field. */
export function partsOf(target: TargetWrite): {
  readonly kind: TargetKind;
  readonly settings: Record<string, unknown>;
  readonly secrets: Record<string, string>;
} {
  const [entry] = Object.entries(target).filter(([, written]) => written !== undefined);
  const [kind, written] = entry as [TargetKind, Readonly<Record<string, unknown>>];
  const { secretFields } = TARGETS[kind];
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  const isSecret = ([field]: [string, unknown]) => secretFields.includes(field);
  return {
    kind,
    settings: Object.fromEntries(given.filter((one) => !isSecret(one))),
    secrets: Object.fromEntries(given.filter(isSecret)) as Record<string, string>,
  };
}

/**
 * What is wrong with a written target, by the path of its field.
 * @param known the target that it replaces
 */
export function faultsOf(
  target: TargetWrite,
  reach: Reach,
  known?: { readonly kind: string; readonly secrets: object },
): Fault[] {
  const { kind, secrets } = partsOf(target);
  const has = new Set([...Object.keys(secrets), ...(known?.kind === kind ? Object.keys(known.secrets) : [])]);
  const faults = TARGETS[kind].faults as (written: unknown, reach: Reach, has: ReadonlySet<string>) => Fault[];
  return faults(target[kind], reach, has).map(([field, problem]) => [`target.${kind}.${field}`, problem]);
}
