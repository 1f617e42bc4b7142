/** What a person has to do so that messages arrive again, by what the receiver answered. The first that fits counts. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /channel_not_found/,
    'Slack has no such channel, or the bot does not see it. A member of the channel has to invite the bot: /invite @BOT. Or edit the channel’s ID here.',
  ],
  [/not_in_channel/, 'A member of the Slack channel has to invite the bot: /invite @BOT.'],
  [/is_archived/, 'The Slack channel is archived. Unarchive it in Slack, or choose another channel here.'],
  [/restricted_action/, 'An admin of the Slack workspace has to allow the app to post in this channel.'],
  [/missing_scope/, 'The owner of the Slack app has to add the right chat:write and install the app again.'],
  [
    /invalid_auth|not_authed|token_revoked|token_expired|account_inactive/,
    'Slack does not accept the bot token. The owner of the Slack app has to create a new one; enter it here.',
  ],
  [
    /no_service|no_active_hooks|invalid_token|Slack answered with status 4(?:03|04|10)/,
    'The address was removed in Slack. The owner of the Slack app has to create a new incoming webhook; enter it here.',
  ],
  [/blocked by the user/i, 'The person has blocked the bot. They have to open the bot in Telegram and press Start.'],
  [
    /kicked|not a member|not enough rights/i,
    'A member of the Telegram group has to add the bot again, and let it send messages.',
  ],
  [
    /chat not found/i,
    'Telegram has no such chat. The person has to open the bot and press Start; then check the number here.',
  ],
  [
    /Telegram answered 40[14]|token of the bot is not valid/,
    'Telegram does not accept the bot token. Its owner can get a new one from @BotFather; enter it here.',
  ],
  [
    /MailFromDomainNotVerified|sender_not_verified|NotFoundException/,
    'An administrator of the AWS account has to verify the sender’s address or domain in SES.',
  ],
  [
    /not verified|MessageRejected/i,
    'SES is in its sandbox and sends to verified addresses only. The recipient has to confirm the mail from AWS, or an administrator of the AWS account has to request production access.',
  ],
  [
    /SendingPaused|AccountSuspended/,
    'AWS has paused sending. An administrator of the AWS account finds the reason in the SES console.',
  ],
  [/SES answered AccessDenied/, 'An administrator of the AWS account has to allow this deployment to send mail.'],
  [/mailFrom is missing/, 'An administrator of this deployment has to set mailFrom, the sender of mails.'],
  [/answered 410/, 'The receiver wants no more calls. Ask its operator, then resume the subscription.'],
  [
    /^The address|ENOTFOUND|not a public|public internet|resolve/i,
    'Check the URL: it must lead to a host on the public internet.',
  ],
];

/** Who has to do what about a failed delivery; undefined if trying again may help. */
export function adviceFor(reason: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
}
