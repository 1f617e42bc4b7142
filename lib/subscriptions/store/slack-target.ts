import type { Reach } from '../../bindings/public-address.ts';
import { checkTarget } from '../../bindings/target-url.ts';
import type { TargetWrite } from '../../contract/schemas/subscription-target.ts';

type SlackWrite = NonNullable<TargetWrite['slack']>;

/** The hosts of incoming webhooks. */
const HOSTS = ['hooks.slack.com', 'hooks.slack-gov.com'];

/**
 * What is wrong with a target in Slack besides its schema: it is either an incoming webhook or a bot in a channel. No
 * message repeats an address, since that is the right to post.
 * @param has the secrets that it has, given or kept
 */
export function slackFaults(written: SlackWrite, reach: Reach, has: ReadonlySet<string>): [string, string][] {
  const { webhook_url: url, bot_token, channel, signing_secret } = written;
  const isBot = channel !== undefined || bot_token !== undefined || signing_secret !== undefined;
  if (isBot && url !== undefined)
    return [
      [
        'webhook_url',
        'received with fields of a bot; either is allowed: webhook_url, or bot_token, channel and signing_secret',
      ],
    ];
  if (!isBot) {
    if (url === undefined && !has.has('webhook_url'))
      return [['webhook_url', 'received nothing; it is required, or bot_token, channel and signing_secret are']];
    const fault = url === undefined ? undefined : webhookFault(url, reach);
    return fault === undefined ? [] : [['webhook_url', `received an address that ${fault}`]];
  }
  const missing = [
    ...(channel === undefined ? ['channel'] : []),
    ...['bot_token', 'signing_secret'].filter((field) => !has.has(field)),
  ];
  return missing.map((field) => [field, 'received nothing; a bot needs bot_token, channel and signing_secret']);
}

function webhookFault(url: string, reach: Reach): string | undefined {
  const fault = checkTarget(url, reach);
  if (fault !== undefined) return fault;
  const { protocol, host } = new URL(url);
  // Plain http is on this machine, where a stand-in is.
  return protocol === 'http:' || HOSTS.includes(host) ? undefined : `is not of ${HOSTS.join(' or ')}`;
}

/** What buttons and messages are bound to: another one than that of an earlier subscription of the same name. */
export function slackPlaceOf({ id, made }: { readonly id: string; readonly made: string }): string {
  return `${id}#${made}`;
}
