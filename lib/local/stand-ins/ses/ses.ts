import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { callingPage } from '../server/calling-page.ts';
import {
  bodyOf,
  type Fault,
  openStandIn,
  type StandInCall,
  type StandInReply,
  type StandInServer,
} from '../server/stand-in-server.ts';

/*
 * The stand-in of SES v2: one account, from the shapes of its API reference. It keeps mails and sends none. Beside what all
 * have, its side of people has
 *
 *   GET /state     the mails, and what is verified
 *   PUT /verified  {sandbox, addresses}: an account in the sandbox, and the addresses and domains that are verified
 */

export interface SesStandIn extends StandInServer {
  readonly from: string;
}

const FROM = 'promptq@practice.example';

const text = z.strictObject({ Data: z.string(), Charset: z.literal('UTF-8') });
const sending = z.strictObject({
  FromEmailAddress: z.string(),
  Destination: z.strictObject({ ToAddresses: z.array(z.email()).min(1).max(50) }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: text,
      Body: z.strictObject({ Text: text, Html: text }),
      Headers: z
        .array(
          z.strictObject({ Name: z.string().regex(/^[!-9;-@A-~]{1,126}$/), Value: z.string().regex(/^[ -~]{1,870}$/) }),
        )
        .max(15)
        .optional(),
    }),
  }),
});

/** Headers that SES sets, and that such a request may not. */
const OWN = [
  'bcc',
  'cc',
  'content-disposition',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'reply-to',
  'return-path',
  'subject',
  'to',
];

const verification = z.strictObject({ sandbox: z.boolean(), addresses: z.array(z.string()) });

/** Starts the stand-in. Its account is out of the sandbox, and its own address is verified. */
export async function startSes({ key }: { key: string }): Promise<SesStandIn> {
  const mails: object[] = [];
  let verified: z.output<typeof verification> = { sandbox: false, addresses: [FROM] };
  const server = await openStandIn({
    key,
    nameOf: ({ path }) => (path === '/v2/email/outbound-emails' ? 'SendEmail' : path),
    refusal,
    answer: async (call) => await Promise.resolve(answer(call, mails, verified)),
    people: {
      'GET /': () => callingPage(PAGE),
      'GET /state': () => ({ status: 200, body: { mails, verified } }),
      'PUT /verified': (call) => {
        verified = bodyOf(verification, call);
        return { status: 200, body: verified };
      },
    },
  });
  return { ...server, from: FROM };
}

function answer(
  call: StandInCall,
  mails: object[],
  { sandbox, addresses }: z.output<typeof verification>,
): StandInReply {
  if (call.method !== 'POST' || call.path !== '/v2/email/outbound-emails')
    return exception(404, 'NotFoundException', 'no such operation');
  const { authorization = '' } = call.headers;
  if (
    !/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[\w-]+\/ses\/aws4_request, ?SignedHeaders=[^ ]*host[^ ]*, ?Signature=[0-9a-f]{64}$/.test(
      authorization,
    )
  )
    return exception(403, 'IncompleteSignatureException', 'the request is not signed for ses');
  const parsed = sending.safeParse(parse(call.body));
  if (!parsed.success) return exception(400, 'BadRequestException', 'the request is malformed');
  const { FromEmailAddress: from, Destination, Content } = parsed.data;
  const { Subject, Body, Headers = [] } = Content.Simple;
  const own = Headers.find(({ Name }) => OWN.includes(Name.toLowerCase()));
  if (own !== undefined) return exception(400, 'BadRequestException', `the header ${own.Name} is set by SES`);
  const isVerified = (address: string) =>
    addresses.includes(address) || addresses.includes(address.split('@').at(-1) ?? '');
  const missing = [from, ...(sandbox ? Destination.ToAddresses : [])].filter((address) => !isVerified(address));
  if (missing.length > 0)
    return exception(
      400,
      'MessageRejected',
      `Email address is not verified. The following identities failed the check in region EU-WEST-1: ${missing.join(', ')}`,
    );
  const MessageId = `0100${randomUUID()}-000000`;
  mails.push({
    id: MessageId,
    from,
    to: Destination.ToAddresses,
    subject: Subject.Data,
    text: Body.Text.Data,
    html: Body.Html.Data,
    headers: Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
  });
  return { status: 200, body: { MessageId } };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** @param description the type of the exception, and after a colon its message */
function refusal({ status, description }: Fault & { readonly status: number }): StandInReply {
  const [type = '', message = 'as asked for'] = description?.split(': ') ?? [];
  return exception(status, type || (status === 429 ? 'TooManyRequestsException' : 'InternalFailure'), message);
}

function exception(status: number, type: string, message: string): StandInReply {
  return {
    status,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazonaws.services.simpleemailv2/` },
    body: { message },
  };
}

const PAGE = {
  title: 'Practice mail',
  intro: 'Mails that the service has sent. None has left this machine.',
  script: `
const show = (state) => state.mails.map((m) => box([line('h2', m.subject), line('small', 'To ' + m.to.join(', ')), line('pre', m.text)]));`,
};
