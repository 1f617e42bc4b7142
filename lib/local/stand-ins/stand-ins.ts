import { randomBytes } from 'node:crypto';
import type { Home } from '../run/home.ts';
import type { Shutdown } from '../run/shutdown.ts';
import { startSes } from './ses/ses.ts';
import { newSlackSecrets, slackSecrets, startSlack } from './slack/slack.ts';
import { newBotToken, startTelegram } from './telegram/telegram.ts';

/** What a stand-in lets a person do, for the start's output and `operator.json`. */
interface StartedStandIn {
  /** The page for people. */
  readonly page: string;
  /** The settings that lead the service to it. */
  readonly env: Readonly<Record<string, string>>;
  /** The target of a subscription that reaches it, by the names of the API. */
  readonly target: Readonly<Record<string, string | string[]>>;
  readonly close: () => Promise<void>;
}

/** All stand-ins of messengers, by their name in targets of subscriptions. */
const STAND_INS: Readonly<Record<string, (key: string, home: Home) => Promise<StartedStandIn>>> = {
  telegram: async (key, home) => {
    const { api, chats, botToken, ...server } = await startTelegram({
      key,
      botToken: await home.keep('telegram-stand-in-token', newBotToken),
    });
    const target = { bot_token: botToken, chat_id: chats[0] ?? '' };
    return { ...server, target, env: { PROMPTQ_TELEGRAM_API: api } };
  },
  slack: async (key, home) => {
    const secrets = slackSecrets.parse(
      JSON.parse(await home.keep('slack-stand-in-secrets', () => JSON.stringify(newSlackSecrets()))),
    );
    const { api, channel, botToken, signingSecret, ...server } = await startSlack({ key, secrets });
    const target = { bot_token: botToken, channel, signing_secret: signingSecret };
    return { ...server, target, env: { PROMPTQ_SLACK_API: `${api}/api` } };
  },
  email: async (key) => {
    const { api, from, ...server } = await startSes({ key });
    return {
      ...server,
      target: { to: ['ada@practice.example'] },
      env: { PROMPTQ_SES_API: api, PROMPTQ_MAIL_FROM: from },
    };
  },
};

/** The stand-ins of a run, by name. */
export type MessengerStandIns = Readonly<Record<string, Pick<StartedStandIn, 'page' | 'target'>>>;

/** Starts the stand-ins of all messengers, unless the run uses real ones. */
export async function startStandIns({
  home,
  source,
  shutdown,
}: {
  home: Home;
  source: { PROMPTQ_MESSENGERS?: string | undefined };
  shutdown: Shutdown;
}): Promise<{ readonly messengers: MessengerStandIns; readonly env: Readonly<Record<string, string>> }> {
  const names = source.PROMPTQ_MESSENGERS === 'practice' ? Object.keys(STAND_INS) : [];
  const started = await Promise.all(
    names.map(async (name) => {
      const standIn = await STAND_INS[name]?.(randomBytes(16).toString('base64url'), home);
      if (standIn !== undefined) shutdown.add('service', standIn.close);
      return [name, standIn] as const;
    }),
  );
  const all = started.flatMap(([name, standIn]) => (standIn === undefined ? [] : [{ name, ...standIn }]));
  return {
    messengers: Object.fromEntries(all.map(({ name, page, target }) => [name, { page, target }])),
    env: Object.assign({}, ...all.map(({ env }) => env)),
  };
}
