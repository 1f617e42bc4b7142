import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { callingPage } from '../server/calling-page.ts';
import {
  BadCall,
  bodyOf,
  type Fault,
  openStandIn,
  type StandInCall,
  type StandInReply,
  type StandInServer,
} from '../server/stand-in-server.ts';
import { type Blocks, checkBlocks } from './check-blocks.ts';

/*
 * The stand-in of Slack: one workspace with one app, its bot, three people and a channel that the bot is in, from the
 * shapes that docs.slack.dev records. Beside what all have, its side of people has
 *
 *   GET  /state          the messages, and what the app told single persons
 *   PUT  /interactivity  {url}: where presses go, as in the settings of a Slack app; empty: nowhere
 *   POST /press          {ts, action_id, user}: presses a button; answers with the app's status, and the request that was sent
 */

interface SlackStandIn extends StandInServer {
  readonly botToken: string;
  readonly signingSecret: string;
  readonly channel: string;
  readonly webhookUrl: string;
}

export const slackSecrets = z.object({ botToken: z.string(), signingSecret: z.string() });
type SlackSecrets = Readonly<z.output<typeof slackSecrets>>;

const PEOPLE = [
  { id: 'U0ADA0001', name: 'Ada' },
  { id: 'U0BEN0002', name: 'Ben' },
  { id: 'U0CAY0003', name: 'Cay' },
] as const;
const CHANNEL = { id: 'C0ALERTS01', name: 'alerts' } as const;
const ELSEWHERE = { id: 'C0OTHER002', name: 'other' } as const;
const TEAM = 'T0PRACTICE';
/** Uses of the address that a press brings, and its lifetime. */
const RESPONSES = { uses: 5, milliseconds: 30 * 60_000 } as const;
/** The time in which Slack waits for the app. */
const PRESS_MS = 3_000;

interface Message {
  readonly ts: string;
  readonly text: string;
  readonly blocks: Blocks;
  readonly edited: boolean;
}

interface State {
  readonly messages: Message[];
  /** What only one person sees. */
  readonly notes: { readonly user: string; readonly text: string }[];
  readonly responses: Map<string, { readonly ts: string; readonly user: string; readonly until: number; uses: number }>;
  interactivity: string;
}

/** New secrets in the form of Slack's. */
export function newSlackSecrets(): SlackSecrets {
  return {
    botToken: `xoxb-1-2-${randomBytes(18).toString('hex')}`,
    signingSecret: randomBytes(16).toString('hex'),
  };
}

interface SlackOptions {
  readonly key: string;
  /** Those that it accepts and signs with. */
  readonly secrets: SlackSecrets;
  /** Its time, ms since 1970. */
  readonly now?: () => number;
}

/** Starts the stand-in. */
export async function startSlack({ key, secrets, now = Date.now }: SlackOptions): Promise<SlackStandIn> {
  const state: State = { messages: [], notes: [], responses: new Map(), interactivity: '' };
  const hook = `/services/${TEAM}/B0PRACTICE/${createHmac('sha256', secrets.signingSecret).update('webhook').digest('hex').slice(0, 24)}`;
  let api = '';
  const server = await openStandIn({
    key,
    nameOf: ({ path }) =>
      path
        .replace(/^\/api\//, '')
        .replace(/^\/services\/.*/, 'webhook')
        .replace(/^\/response\/.*/, 'response'),
    refusal,
    answer: async (call) => await Promise.resolve(answer(call, { state, hook, token: secrets.botToken })),
    people: {
      'GET /': () => callingPage(PAGE),
      'GET /state': () => ({
        status: 200,
        body: {
          messages: state.messages,
          notes: state.notes,
          people: PEOPLE,
          interactivity: state.interactivity,
          webhook_url: `${api}${hook}`,
        },
      }),
      'PUT /interactivity': (call) => {
        state.interactivity = bodyOf(z.strictObject({ url: z.url().or(z.literal('')) }), call).url;
        return { status: 200, body: {} };
      },
      'POST /press': async (call) => ({
        status: 200,
        body: await press(call, { state, api, now, secret: secrets.signingSecret }),
      }),
    },
  });
  api = server.api;
  return { ...server, ...secrets, channel: CHANNEL.id, webhookUrl: `${api}${hook}` };
}

function refusal({ status, retry_after: after = 1, description }: Fault & { readonly status: number }): StandInReply {
  if (status === 429)
    return { status, headers: { 'retry-after': String(after) }, body: { ok: false, error: 'ratelimited' } };
  // Slack tells of most faults with status 200.
  return {
    status: description === undefined ? status : 200,
    body: { ok: false, error: description ?? 'internal_error' },
  };
}

interface Answering {
  readonly state: State;
  readonly hook: string;
  readonly token: string;
}

function answer(call: StandInCall, { state, hook, token }: Answering): StandInReply {
  if (call.method !== 'POST') return { status: 405, body: 'method not allowed' };
  if (call.path.startsWith('/services/')) {
    if (call.path !== hook) return { status: 404, body: 'no_service' };
    const made = newMessage(call.body);
    if ('error' in made) return { status: 400, body: made.error === 'no_text' ? 'no_text' : 'invalid_payload' };
    state.messages.push(made);
    return { status: 200, body: 'ok' };
  }
  if (call.path.startsWith('/response/')) return respond(call, state);
  if (call.headers.authorization === undefined) return failed('not_authed');
  if (call.headers.authorization !== `Bearer ${token}`) return failed('invalid_auth');
  const known = METHODS[call.path];
  return known === undefined ? failed('unknown_method') : known(call.body, state);
}

const METHODS: Readonly<Record<string, (body: Buffer, state: State) => StandInReply>> = {
  '/api/auth.test': () => ({
    status: 200,
    body: { ok: true, team_id: TEAM, user_id: 'U0PROMPTQ', bot_id: 'B0PRACTICE' },
  }),
  '/api/chat.postMessage': (body, state) => {
    const { channel } = objectOf(body);
    if (channel === ELSEWHERE.id || channel === `#${ELSEWHERE.name}`) return failed('not_in_channel');
    if (channel !== CHANNEL.id && channel !== `#${CHANNEL.name}`) return failed('channel_not_found');
    const made = newMessage(body);
    if ('error' in made) return failed(made.error);
    state.messages.push(made);
    return { status: 200, body: { ok: true, channel: CHANNEL.id, ts: made.ts, message: shown(made) } };
  },
  '/api/chat.update': (body, state) => {
    const { channel, ts } = objectOf(body);
    // Unlike the other, this one takes no names.
    if (channel !== CHANNEL.id) return failed('channel_not_found');
    const at = state.messages.findIndex((message) => message.ts === ts);
    const made = newMessage(body);
    if (at < 0) return failed('message_not_found');
    if ('error' in made) return failed(made.error);
    const message = { ...made, ts: String(ts), edited: true };
    state.messages[at] = message;
    return { status: 200, body: { ok: true, channel, ts, text: message.text, message: shown(message) } };
  },
};

function failed(error: string): StandInReply {
  return { status: 200, body: { ok: false, error } };
}

function objectOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(body.toString()));
  } catch {
    return {};
  }
}

let counted = 0;

function newMessage(body: Buffer): Message | { readonly error: string } {
  const { text = '', blocks } = objectOf(body);
  const checked = checkBlocks(blocks);
  if ('error' in checked) return checked;
  if (typeof text !== 'string' || (text === '' && checked.blocks.length === 0)) return { error: 'no_text' };
  if (text.length > 40_000) return { error: 'msg_too_long' };
  counted += 1;
  const ts = `${Math.floor(Date.now() / 1000)}.${String(counted).padStart(6, '0')}`;
  return { ts, text, blocks: checked.blocks, edited: false };
}

function shown({ ts, text, blocks }: Message): object {
  return { type: 'message', ts, text, blocks, bot_id: 'B0PRACTICE', team: TEAM };
}

const pressing = z.strictObject({ ts: z.string(), action_id: z.string(), user: z.string() });

/** Sends a press to the app, signed, and waits as long as Slack does. */
async function press(
  call: StandInCall,
  { state, api, secret, now }: { state: State; api: string; secret: string; now: () => number },
) {
  const { ts, action_id, user } = bodyOf(pressing, call);
  const message = state.messages.find((one) => one.ts === ts);
  const person = PEOPLE.find(({ id }) => id === user);
  const buttons = message?.blocks.flatMap((block) => (block.type === 'actions' ? block.elements : [])) ?? [];
  const button = buttons.find((one) => one.action_id === action_id);
  if (message === undefined || person === undefined || button === undefined)
    throw new BadCall('no such message, person or button');
  if (state.interactivity === '') throw new BadCall('the app has no interactivity URL: PUT /interactivity');
  const id = randomBytes(12).toString('hex');
  state.responses.set(id, { ts, user, until: Date.now() + RESPONSES.milliseconds, uses: RESPONSES.uses });
  const payload = {
    type: 'block_actions',
    user: { id: user, username: person.name.toLowerCase(), name: person.name.toLowerCase(), team_id: TEAM },
    api_app_id: 'A0PRACTICE',
    token: 'deprecated',
    container: { type: 'message', message_ts: ts, channel_id: CHANNEL.id, is_ephemeral: false },
    trigger_id: `${Date.now()}.${id}`,
    team: { id: TEAM, domain: 'practice' },
    channel: CHANNEL,
    message: shown(message),
    response_url: `${api}/response/${id}`,
    actions: [{ ...button, block_id: 'b', action_ts: String(Date.now() / 1000) }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const time = String(Math.floor(now() / 1000));
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`,
  };
  const signal = AbortSignal.timeout(PRESS_MS);
  const status = await fetch(state.interactivity, { method: 'POST', headers, body, signal }).then(
    (answer) => answer.status,
    () => 0,
  );
  if (status !== 200) state.notes.push({ user, text: 'This app responded with an error.' });
  return { status, request: { headers, body } };
}

const responding = z.looseObject({ replace_original: z.boolean().optional(), text: z.string().optional() });

function respond(call: StandInCall, state: State): StandInReply {
  const known = state.responses.get(call.path.replace('/response/', ''));
  if (known === undefined || known.uses < 1 || known.until < Date.now()) return { status: 404, body: 'expired_url' };
  const given = responding.safeParse(objectOf(call.body)).data;
  if (given === undefined) return { status: 400, body: 'invalid_payload' };
  known.uses -= 1;
  if (given.replace_original !== true) state.notes.push({ user: known.user, text: given.text ?? '' });
  else {
    const made = newMessage(call.body);
    if ('error' in made) return { status: 400, body: 'invalid_payload' };
    const at = state.messages.findIndex(({ ts }) => ts === known.ts);
    state.messages[at] = { ...made, ts: known.ts, edited: true };
  }
  return { status: 200, body: { ok: true } };
}

const PAGE = {
  title: 'Practice Slack',
  intro: `#${CHANNEL.name} of a practice workspace. Press a button as one of its people.`,
  script: `
const text = (o) => (o.text || '').replace(/\\u2060/g, '').replace(/<(https?:[^|>]*)\\|([^>]*)>/g, '$2')
  .replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
const show = (state) => [
  line('p', 'Incoming webhook: ' + state.webhook_url),
  ask('Interactivity URL of the app', state.interactivity, (url) => call('interactivity', { url }, 'PUT')),
  pick('who', 'You are', state.people.map(({ id, name }) => [id, name])),
  ...state.messages.map((m) => box(m.blocks.length === 0 ? [line('p', text(m))] : m.blocks.map((b) =>
    b.type === 'header' ? line('h2', text(b.text)) : b.type === 'section' ? line('p', text(b.text))
    : b.type === 'context' ? line('small', b.elements.map(text).join(' '))
    : row(b.elements.map((e) => e.url ? link(text(e.text), e.url)
      : button(text(e.text), () => call('press', { ts: m.ts, action_id: e.action_id, user: chosen('who') })))))
    .concat(m.edited ? [line('small', 'edited')] : []))),
  ...state.notes.map((n) => box([line('small', 'Only for ' + n.user), line('p', n.text)])),
];`,
};
