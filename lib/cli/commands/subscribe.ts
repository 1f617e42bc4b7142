import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun, Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

type Creation = Schemas['SubscriptionCreation'];

interface Options {
  readonly webhook?: string;
  readonly telegram?: string;
  /** The command line checks them. */
  readonly event?: NonNullable<Creation['events']>;
  readonly project?: string;
  readonly profile?: string;
  readonly template?: string;
  readonly automation?: string;
  readonly creator?: string;
  readonly hourly?: true;
  readonly answersFrom?: readonly string[];
  readonly json?: true;
}

/** Creates a subscription, and prints the secret that was generated for it. */
export const run: CommandRun<Options> = async (context, [name = ''], options) => {
  const { terminal } = context;
  const { event: events, hourly, answersFrom, json } = options;
  const { api } = await clientOf(context);
  const body = {
    name,
    target: targetOf(options, context.env),
    ...(events !== undefined && { events: [...events] }),
    filter: filterOf(options),
    ...(hourly && { digest: 'hourly' as const }),
    ...(answersFrom !== undefined && { answers_from: [...answersFrom] }),
  };
  const made = await dataOf(api.POST('/api/v1/subscriptions', { body }));
  if (json) {
    await terminal.printJson(made);
    return EXIT.succeeded;
  }
  await terminal.note(`created ${made.id}, which sends ${made.events.join(', ')}`);
  if (made.secret !== undefined) {
    await terminal.note('its secret, which is shown only now:');
    await terminal.print(made.secret);
  }
  return EXIT.succeeded;
};

/** Tokens are no arguments: other users of the machine see those. */
function targetOf({ webhook, telegram }: Options, env: Context['env']): Creation['target'] {
  if ((webhook === undefined) === (telegram === undefined)) throw usageError('give one of --webhook and --telegram');
  if (webhook !== undefined) return { webhook: { url: webhook } };
  const bot_token = env.TELEGRAM_BOT_TOKEN;
  if (!bot_token) throw usageError('--telegram: set TELEGRAM_BOT_TOKEN to the token of the bot');
  return { telegram: { bot_token, chat_id: telegram ?? '' } };
}

function filterOf({ project, profile, template, automation, creator }: Options) {
  const given = Object.entries({ project, profile, template, automation, creator });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
