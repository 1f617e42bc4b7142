import { signButton } from '../answers/button-data.ts';
import type { Notice } from '../notice/notice.ts';
import { slackMessage } from '../render/slack-blocks.ts';
import { slackPlaceOf } from '../store/slack-target.ts';
import { messagesOf } from './messages-of.ts';
import type { Outgoing, Recipient, SendContext, Sent } from './sending.ts';
import { type Outcome, sentOf } from './sent.ts';
import { changeInSlack, postToSlack, type SlackBot, tellSlack } from './slack.ts';

/*
 * A notice becomes one message in Slack. A bot changes that message when what it asked for is settled, wherever the answer
 * came from, so that it no longer asks anyone. A webhook can't, so what settles a question is a message there
 * only if the subscription asks for that event.
 */

export async function sendSlack(context: SendContext, outgoing: Outgoing, recipient: Recipient): Promise<Sent> {
  const [webhookUrl] = recipient.settings.channel === undefined ? (recipient.secrets.webhook_url ?? []) : [];
  for (const { notice, isWanted } of await messagesOf(context, outgoing)) {
    const outcome =
      webhookUrl === undefined
        ? await asBot(context, recipient, notice, isWanted)
        : isWanted
          ? await tellSlack(webhookUrl, slackMessage(notice))
          : SENT;
    if (!('sent' in outcome)) return sentOf(outcome);
  }
  return { outcome: 'sent' };
}

const SENT: Outcome = { sent: true };

async function asBot(
  { apis, messages }: SendContext,
  { settings, secrets, subscription }: Recipient,
  notice: Notice,
  isWanted: boolean,
): Promise<Outcome> {
  const [token] = secrets.bot_token ?? [];
  if (token === undefined) return { gone: 'access_refused', why: 'The subscription has no token of a bot.' };
  const bot: SlackBot = { api: apis.slack, token };
  const place = slackPlaceOf(subscription);
  const earlier = notice.settles ? await messages.byKey(place, notice.key) : undefined;
  if (earlier !== undefined) return await changeInSlack(bot, earlier.message, slackMessage(notice));
  if (!isWanted) return SENT;
  const channel = String(settings.channel);
  const { question } = notice;
  const isAnswerable = question !== null && subscription.answers_from.length > 0;
  const buttonValue = (option: number) =>
    signButton(
      { jobId: question?.job_id ?? '', questionId: question?.id ?? '', option },
      { secret: token, subscriptionId: place, chat: channel },
    );
  const posted = await postToSlack(bot, channel, slackMessage(notice, isAnswerable ? buttonValue : undefined));
  if ('sent' in posted && posted.ref !== undefined)
    await messages.put({
      ...{ subscriptionId: place, key: notice.key, chat: channel, message: posted.ref },
      job: notice.question?.job_id,
    });
  return posted;
}
