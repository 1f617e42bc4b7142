import type { DIGESTS } from '../../../lib/contract/subscription-choices.ts';
import { QUIET_EVENTS } from '../../../lib/contract/subscription-choices.ts';
import type { Subscription, SubscriptionWrite } from './subscription-queries.ts';
import { isQuiet } from './subscription-words.ts';
import { choiceOf, storedText, TARGET_CHOICES, type TargetChoice } from './target-kinds.ts';

export const FILTERS = ['project', 'profile', 'template', 'automation', 'creator'] as const;

/** The fields of the form. */
export interface SubscriptionFields {
  readonly name: string;
  readonly way: string;
  /** What was typed into the fields of the target, by name. Others have their stored value. */
  readonly typed: Readonly<Record<string, string>>;
  /** Empty: the quiet ones. */
  readonly events: readonly string[];
  readonly isQuiet: boolean;
  readonly filter: Readonly<Record<(typeof FILTERS)[number], string>>;
  readonly digest: (typeof DIGESTS)[number];
  /** Ids, separated by commas. */
  readonly answersFrom: string;
  readonly rotateSecret: boolean;
}

export type SubscriptionErrors = Readonly<Record<string, string>>;

/** The fields of a stored subscription, or of a new one. @param way the way that the address asks for */
export function fieldsOf(stored: Subscription | undefined, way: string | null): SubscriptionFields {
  const { filter, events = [], digest = 'none', answers_from: persons = [] } = stored ?? {};
  const [first] = TARGET_CHOICES;
  const known = TARGET_CHOICES.find(({ value }) => value === way) ?? first;
  return {
    name: stored?.name ?? '',
    way: (stored === undefined ? known : choiceOf(stored))?.value ?? '',
    typed: {},
    events: stored === undefined ? QUIET_EVENTS : events,
    isQuiet: stored === undefined || isQuiet(events),
    filter: {
      project: filter?.project ?? '',
      profile: filter?.profile ?? '',
      template: filter?.template ?? '',
      automation: filter?.automation ?? '',
      creator: filter?.creator ?? '',
    },
    digest,
    answersFrom: persons.join(', '),
    rotateSecret: false,
  };
}

/** The way that is chosen. */
export function wayOf({ way }: Pick<SubscriptionFields, 'way'>): TargetChoice | undefined {
  return TARGET_CHOICES.find(({ value }) => value === way);
}

/** Fields that need a value. A secret of a stored target keeps its own. */
export function missingIn(fields: SubscriptionFields, stored: Subscription | undefined): SubscriptionErrors {
  const isSame = stored !== undefined && choiceOf(stored)?.value === fields.way;
  const empty = (wayOf(fields)?.fields ?? []).filter(({ name, isSecret, isOptional }) => {
    const text = fields.typed[name] ?? (isSame ? storedText(stored, { name, label: '', hint: '' }) : '');
    return text.trim() === '' && !isOptional && !(isSecret && isSame);
  });
  return {
    ...(fields.name.trim() === '' && { name: 'Enter a value.' }),
    ...(!fields.isQuiet && fields.events.length === 0 && { events: 'Choose at least one.' }),
    ...Object.fromEntries(empty.map(({ name }) => [name, 'Enter a value.'])),
  };
}

/** The body of a request. A target that was not touched is left out, and keeps its secrets. */
export function writeOf(fields: SubscriptionFields, stored: Subscription | undefined): SubscriptionWrite {
  const way = wayOf(fields);
  const isSame = stored !== undefined && choiceOf(stored)?.value === fields.way;
  const isTouched = !isSame || Object.values(fields.typed).some((text) => text.trim() !== '');
  const settings = (way?.fields ?? []).flatMap((field) => {
    const text = (fields.typed[field.name] ?? (isSame ? storedText(stored, field) : '')).trim();
    return text === '' ? [] : [[field.name, field.isList ? listOf(text) : text] as const];
  });
  const filter = Object.entries(fields.filter).filter(([, value]) => value.trim() !== '');
  return {
    ...(stored === undefined && { name: fields.name.trim() }),
    ...(isTouched && way && { target: { [way.kind]: Object.fromEntries(settings) } }),
    ...(fields.rotateSecret && { rotate_secret: true }),
    events: [...(fields.isQuiet ? QUIET_EVENTS : fields.events)] as NonNullable<SubscriptionWrite['events']>,
    filter: Object.fromEntries(filter),
    digest: fields.digest,
    answers_from: way?.canAnswer ? listOf(fields.answersFrom) : [],
  };
}

function listOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== '');
}
