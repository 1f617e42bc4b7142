import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import type { Env } from '../base/credentials.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

type Creation = Schemas['SubscriptionCreation'];

interface Options {
  readonly webhook?: string;
  readonly telegram?: string;
  readonly slack?: string;
  readonly slackWebhook?: true;
  readonly email?: readonly string[];
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

type Target = Creation['target'];

/** Secrets come from variables: the arguments of a command are shown to every program of the machine. */
function targetOf({ webhook, telegram, slack, slackWebhook, email }: Options, env: Env): Target {
  const secret = (name: string) => {
    const value = env[name];
    if (value === undefined || value === '') throw usageError(`set the variable ${name}`);
    return value;
  };
  const targets: Target[] = [
    ...(webhook === undefined ? [] : [{ webhook: { url: webhook } }]),
    ...(telegram === undefined ? [] : [{ telegram: { chat_id: telegram, bot_token: secret('TELEGRAM_BOT_TOKEN') } }]),
    ...(slack === undefined
      ? []
      : [
          {
            slack: {
              channel: slack,
              bot_token: secret('SLACK_BOT_TOKEN'),
              signing_secret: secret('SLACK_SIGNING_SECRET'),
            },
          },
        ]),
    ...(slackWebhook === undefined ? [] : [{ slack: { webhook_url: secret('SLACK_WEBHOOK_URL') } }]),
    ...(email === undefined ? [] : [{ email: { to: [...email] } }]),
  ];
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0)
    throw usageError('give one of --webhook, --telegram, --slack, --slack-webhook and --email');
  return target;
}

function filterOf({ project, profile, template, automation, creator }: Options) {
  const given = Object.entries({ project, profile, template, automation, creator });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
