import * as z from 'zod';
import { type Delivered, verifyDelivery } from '../../automations/hooks/verify-delivery.ts';
import { ApiError } from '../../contract/errors.ts';
import { type AnsweringContext, type AnswerOutcome, answerForPerson } from '../answers/answer-for-person.ts';
import { type Press, readButton } from '../answers/button-data.ts';
import { cut, escapeMarkup, oneLine, withoutCalls } from '../notice/foreign-text.ts';
import { callService } from '../senders/call-service.ts';

/*
 * A person presses a button in Slack. Slack posts a form, signed over its bytes, and shows the person an error unless it
 * is answered with 200 within three seconds. So the answer is written first, by the write that decides between several.
 * What became of it is said by the address that the press brings: to everybody in place of the question if it is
 * answered, else only to that person. If that call fails, the press still counts, and the event of the answer changes
 * the message a moment later.
 *
 * A press of a button that is not ours, such as the link to the console, is none of our business: it is answered with 200.
 */

/** The subscription that a press is for, with its secrets. */
export interface SlackSubscription {
  readonly id: string;
  /** What its buttons are bound to. */
  readonly place: string;
  readonly answersFrom: readonly string[];
  /** As it was given, which its buttons are signed with. */
  readonly channel: string;
  /** Newest first: what was signed with a former one still counts. */
  readonly botTokens: readonly string[];
  readonly signingSecrets: readonly string[];
}

export interface PressContext extends AnsweringContext {
  /** `https://slack.com/api`, or a stand-in: where else the address of a press may be. */
  readonly slackApi: string;
}

const pressed = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string().min(1).max(100) }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
  response_url: z.string().optional(),
  message: z.object({ blocks: z.array(z.looseObject({ type: z.string() })).optional() }).optional(),
});
type Pressed = z.output<typeof pressed>;

/**
 * Handles a request that claims to be Slack's.
 * @throws ApiError `unauthorized` unless it is signed with the secret, and within five minutes
 */
export async function pressInSlack(
  context: PressContext,
  subscription: SlackSubscription,
  { requestId, ...delivered }: Delivered & { readonly requestId: string },
): Promise<void> {
  const { signingSecrets, id, answersFrom } = subscription;
  const isSigned = signingSecrets.some(
    (secret) => verifyDelivery({ style: 'slack' }, secret, delivered, context.clock.now()) === undefined,
  );
  if (!isSigned) throw ApiError.of('unauthorized');
  const press = readForm(delivered.body);
  const button = buttonOf(subscription, press?.actions[0]?.value);
  if (press === undefined || button === undefined) return;
  const { jobId, questionId, option } = button;
  const outcome = await answerForPerson(context, {
    ...{ subscription: { id, answersFrom }, messenger: 'slack', person: press.user.id, requestId },
    ...{ jobId, questionId, answer: { option } },
  });
  await tell(press, outcome, context.slackApi);
}

function buttonOf(
  { place: subscriptionId, channel, botTokens }: SlackSubscription,
  value: string | undefined,
): Press | undefined {
  if (value === undefined) return undefined;
  const places = botTokens.map((secret) => ({ secret, subscriptionId, chat: channel }));
  return places.map((place) => readButton(value, place)).find((press) => press !== undefined);
}

/** @returns undefined: a signed form that is no press of a button, such as a check of the certificate */
function readForm(body: Buffer): Pressed | undefined {
  const payload = new URLSearchParams(body.toString()).get('payload');
  if (payload === null) return undefined;
  try {
    return pressed.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}

async function tell(press: Pressed, outcome: AnswerOutcome, slackApi: string): Promise<void> {
  const { response_url: url } = press;
  if (url === undefined || !isSlacks(url, slackApi)) return;
  const text = withoutCalls(escapeMarkup(oneLine(outcome.sentence, 500)));
  const body =
    outcome.kind === 'answered'
      ? { replace_original: true, text, blocks: [...remaining(press), answeredBy(press, text)] }
      : { response_type: 'ephemeral', replace_original: false, text };
  await callService(
    url,
    { headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) },
    { seconds: 1 },
  );
}

/** The message without its buttons. */
function remaining({ message }: Pressed): object[] {
  return (message?.blocks ?? []).filter(({ type }) => type !== 'actions');
}

/** The one mention that we write: of the person who pressed, who knows it. */
function answeredBy({ user }: Pressed, text: string): object {
  const who = /^[UW][A-Z0-9]{1,40}$/.test(user.id) ? `<@${user.id}>` : cut(user.id, 50, escapeMarkup);
  return { type: 'context', elements: [{ type: 'mrkdwn', text: `${who}: ${text}`, verbatim: true }] };
}

function isSlacks(url: string, slackApi: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin } = new URL(url);
  return origin === 'https://hooks.slack.com' || origin === new URL(slackApi).origin;
}
