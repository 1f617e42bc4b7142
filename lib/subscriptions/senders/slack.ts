import * as z from 'zod';
import type { SlackMessage } from '../render/slack-blocks.ts';
import { callService, type ServiceAnswer } from './call-service.ts';
import type { Outcome, TargetFault } from './sent.ts';

/*
 * Messages to Slack, by one of two ways. An incoming webhook only tells: its address is the right to post to one channel,
 * and what was posted can't be changed. A bot's token can also change a message, and its app gets the presses of buttons.
 *
 * Slack answers 200 to most faults of the token's way, with a code in `error`, and words of plain text on the webhook's.
 * A code that is not in the table is tried again, since a message late is better than none.
 */

/** Where Slack is, and as whom to post. */
export interface SlackBot {
  /** `https://slack.com/api`, or a stand-in. */
  readonly api: string;
  readonly token: string;
}

/** Codes that no later try changes, by what a person has to do. */
const GONE: Readonly<Record<string, TargetFault>> = {
  ...faults('access_refused', [
    ...['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired', 'no_permission'],
    ...[
      'missing_scope',
      'not_allowed_token_type',
      'org_login_required',
      'ekm_access_denied',
      'team_access_not_granted',
    ],
    ...[
      'access_denied',
      'action_prohibited',
      'invalid_token',
      'no_service',
      'no_team',
      'no_active_hooks',
      'team_disabled',
    ],
    ...['two_factor_setup_required', 'restricted_action', 'enterprise_is_restricted'],
  ]),
  ...faults('channel_unavailable', [
    ...['channel_not_found', 'not_in_channel', 'is_archived', 'channel_is_archived', 'channel_type_not_supported'],
    ...[
      'restricted_action_read_only_channel',
      'restricted_action_thread_only_channel',
      'user_not_found',
      'user_not_in_channel',
    ],
  ]),
};
/** Codes that are about how a message is made. Its text alone may pass. */
const MALFORMED = [
  ...['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long', 'invalid_payload'],
  ...['too_many_attachments', 'invalid_arguments', 'no_text', 'missing_text_or_fallback_or_attachments'],
];
/** What an edit answers when there is nothing left to change. */
const UNCHANGEABLE = ['message_not_found', 'cant_update_message', 'edit_window_closed', 'update_failed'];

function faults(fault: TargetFault, codes: readonly string[]): Record<string, TargetFault> {
  return Object.fromEntries(codes.map((code) => [code, fault]));
}

/** Nothing in a message is looked up or previewed: it may hold addresses that an agent wrote. */
const PLAIN = { parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false } as const;

/** Posts by an incoming webhook. */
export async function tellSlack(webhookUrl: string, message: SlackMessage): Promise<Outcome> {
  return await orAsText(message, async (body) => {
    const answer = await callService(webhookUrl, {
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(body),
    });
    if ('failed' in answer) return { retry: answer.failed };
    return answer.status === 200 ? { sent: true } : outcomeOf(answer, answer.text.trim());
  });
}

const posted = z.object({ ok: z.literal(true), channel: z.string().min(1), ts: z.string().min(1) });
const failed = z.object({ ok: z.literal(false), error: z.string() });

/** Posts to a channel as the bot. `ref` names the message for `changeInSlack`. */
export async function postToSlack(bot: SlackBot, channel: string, message: SlackMessage): Promise<Outcome> {
  return await orAsText(message, async (body) => await call(bot, 'chat.postMessage', { channel, ...PLAIN, ...body }));
}

/** Replaces a message. One that can't be changed is left as it is. */
export async function changeInSlack(bot: SlackBot, ref: string, message: SlackMessage): Promise<Outcome> {
  const [channel = '', ts = ''] = ref.split('/');
  return await orAsText(message, async (body) => await call(bot, 'chat.update', { channel, ts, ...PLAIN, ...body }));
}

async function call({ api, token }: SlackBot, method: string, body: object): Promise<Outcome> {
  const answer = await callService(`${api}/${method}`, {
    headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if ('failed' in answer) return { retry: answer.failed };
  const json = parsed(answer.text);
  const success = posted.safeParse(json).data;
  if (success !== undefined) return { sent: true, ref: `${success.channel}/${success.ts}` };
  const code = failed.safeParse(json).data?.error ?? '';
  if (method === 'chat.update' && UNCHANGEABLE.includes(code)) return { sent: true };
  return outcomeOf(answer, code);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function outcomeOf({ status, retryAfterSeconds }: Exclude<ServiceAnswer, { failed: string }>, code: string): Outcome {
  const known = Object.hasOwn(GONE, code) ? GONE[code] : undefined;
  if (known !== undefined) return { gone: known, why: `Slack answered ${code}.` };
  if (MALFORMED.includes(code)) return { refused: `Slack answered ${code}.` };
  // A webhook that was deleted answers 404 or 410, at times without a word.
  if (status === 403 || status === 404 || status === 410)
    return { gone: 'access_refused', why: `Slack answered with status ${status}.` };
  const word = /^[a-z_]{1,60}$/.test(code) ? ` and ${code}` : '';
  return { retry: `Slack answered with status ${status}${word}.`, afterSeconds: retryAfterSeconds };
}

/** Sends a message; if Slack does not take how it is made, its text alone. */
async function orAsText(message: SlackMessage, send: (body: object) => Promise<Outcome>): Promise<Outcome> {
  const sent = await send({ text: message.text, blocks: message.blocks });
  return 'refused' in sent ? await send({ text: message.text }) : sent;
}
