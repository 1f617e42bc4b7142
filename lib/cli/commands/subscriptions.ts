import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { ago, table } from '../base/table.ts';

type Subscription = Schemas['Subscription'];

interface Options {
  readonly json?: true;
}

/** Lists subscriptions, or shows or acts on one. */
export const run: CommandRun<Options> = async (context, [action = 'list', name, delivery], { json }) => {
  const { terminal } = context;
  if (action !== 'list' && name === undefined) throw usageError(`${action} needs the name of a subscription`);
  if (action === 'resend' && delivery === undefined) throw usageError('resend needs the id of a delivery');
  const { api } = await clientOf(context);
  const path = { id: name ?? '' };
  const params = { path };
  const show = async (value: object, text: string) => (json ? terminal.printJson(value) : terminal.print(text));
  const changed = async (one: Subscription, what: string) =>
    json ? await terminal.printJson(one) : await terminal.note(`${what} ${one.name}`);
  switch (action) {
    case 'list': {
      const list = await dataOf(api.GET('/api/v1/subscriptions', {}));
      await show(list, table(HEADING, list.items.map(rowOf)));
      break;
    }
    case 'show': {
      const one = await dataOf(api.GET('/api/v1/subscriptions/{id}', { params }));
      await show(one, describe(one));
      break;
    }
    case 'deliveries': {
      const list = await dataOf(api.GET('/api/v1/subscriptions/{id}/deliveries', { params }));
      await show(
        list,
        table(['DELIVERY', 'STATE', 'ATTEMPTS', 'WHEN', 'EVENT', 'JOB', 'WHY'], list.items.map(deliveryOf)),
      );
      break;
    }
    case 'test': {
      const test = await dataOf(api.POST('/api/v1/subscriptions/{id}/test', { params }));
      await show(test, test.id);
      break;
    }
    case 'resend': {
      const again = { path: { ...path, delivery: delivery ?? '' } };
      const sent = await dataOf(api.POST('/api/v1/subscriptions/{id}/deliveries/{delivery}/resend', { params: again }));
      await show(sent, sent.id);
      break;
    }
    case 'rotate-secret': {
      const one = await dataOf(api.PATCH('/api/v1/subscriptions/{id}', { params, body: { rotate_secret: true } }));
      await show(one, one.secret ?? '');
      break;
    }
    case 'delete':
      await changed(await dataOf(api.DELETE('/api/v1/subscriptions/{id}', { params })), 'deleted');
      break;
    default: {
      const body = { enabled: action === 'enable' };
      await changed(await dataOf(api.PATCH('/api/v1/subscriptions/{id}', { params, body })), `${action}d`);
    }
  }
  return EXIT.succeeded;
};

const HEADING = ['NAME', 'STATE', 'TO', 'EVENTS', 'LAST DELIVERY', 'DROPPED'];

function rowOf(one: Subscription): (string | number | null)[] {
  const { name, state, events, last_delivery: last, dropped } = one;
  return [name, state, whereOf(one), events.join(','), last && `${last.state} ${ago(last.at)}`, dropped];
}

/** The kind of its target, and where it is. */
function whereOf({ target }: Subscription): string {
  const [[kind, settings] = ['unknown', {}]] = Object.entries(target);
  return [kind, ...Object.values(settings ?? {})].join(' ');
}

function deliveryOf(one: Schemas['Delivery']): (string | number | null)[] {
  const { id, state, attempts, last_attempt_at: last, events, error } = one;
  const [first] = events;
  const what = events.length > 1 ? `${first?.type} and ${events.length - 1} more` : (first?.type ?? '');
  return [id, state, attempts, last && ago(last), what, first?.job_id ?? null, error];
}

function describe(one: Subscription): string {
  const { name, state, state_reason: why, filter, digest, answers_from: people } = one;
  const filters = Object.entries(filter).flatMap(([member, value]) => (value === null ? [] : [`${member} ${value}`]));
  return [
    `${name}: ${state}${why === null ? '' : `. ${why}`}`,
    `to       ${whereOf(one)}`,
    `events   ${one.events.join(', ')}`,
    `filter   ${filters.join(', ') || 'none'}`,
    `digest   ${digest}`,
    `answers  ${people.join(', ') || 'from nobody'}`,
    `dropped  ${one.dropped}`,
    ...(one.failing_since === null ? [] : [`failing  since ${one.failing_since}`]),
  ].join('\n');
}
