import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSes } from '../../../lib/local/stand-ins/ses/ses.ts';
import { newSlackSecrets, startSlack } from '../../../lib/local/stand-ins/slack/slack.ts';
import { sendMail } from '../../../lib/subscriptions/senders/email.ts';
import { changeInSlack, postToSlack, tellSlack } from '../../../lib/subscriptions/senders/slack.ts';

const MESSAGE = {
  text: 'Failed: nightly',
  blocks: [{ type: 'header', text: { type: 'plain_text', text: 'Failed: nightly', emoji: false } }],
};
const MAIL = { subject: 'Failed: ünlabelled', text: 'why', html: '<p>why</p>', headers: { 'X-Promptq-Event': '7-1' } };

let slack: Awaited<ReturnType<typeof startSlack>>;
let ses: Awaited<ReturnType<typeof startSes>>;
beforeAll(async () => {
  slack = await startSlack({ key: 'key', secrets: newSlackSecrets() });
  ses = await startSes({ key: 'key' });
});
afterAll(async () => {
  await Promise.all([slack.close(), ses.close()]);
});

const bot = () => ({ api: `${slack.api}/api`, token: slack.botToken });
const put = async (page: string, path: string, body: object) =>
  await fetch(`${page}${path}`, { method: 'PUT', body: JSON.stringify(body) });
const state = async (page: string) => (await (await fetch(`${page}state`)).json()) as Record<string, unknown[]>;
const fail = async (page: string, faults: object[]) => void (await put(page, 'faults', faults));
beforeEach(async () => {
  await Promise.all([fail(slack.page, []), fail(ses.page, [])]);
});

describe('messages to Slack', () => {
  it('are posted, and changed in place', async () => {
    const sent = await postToSlack(bot(), '#alerts', MESSAGE);
    expect(sent).toMatchObject({ sent: true, ref: expect.stringMatching(/^C\w+\/\d+\.\d+$/) });
    const ref = 'ref' in sent ? (sent.ref ?? '') : '';
    expect(await changeInSlack(bot(), ref, { ...MESSAGE, text: 'Succeeded: nightly' })).toMatchObject({ sent: true });
    const { messages } = await state(slack.page);
    expect(messages).toMatchObject([{ ts: ref.split('/')[1], text: 'Succeeded: nightly', edited: true }]);
    // What is gone can't be changed, and need not be.
    expect(await changeInSlack(bot(), `${slack.channel}/1.000001`, MESSAGE)).toEqual({ sent: true });
    expect(await tellSlack(slack.webhookUrl, MESSAGE)).toEqual({ sent: true });
  });

  it('are sent as text alone if their blocks are refused', async () => {
    const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }];
    for (const send of [
      async () => await postToSlack(bot(), slack.channel, { text: 'Only text', blocks }),
      async () => await tellSlack(slack.webhookUrl, { text: 'Only text', blocks }),
    ])
      expect(await send()).toMatchObject({ sent: true });
    expect((await state(slack.page)).messages?.slice(-2)).toMatchObject([{ text: 'Only text' }, { text: 'Only text' }]);
  });

  it('wait as long as a 429 says, and are tried again after failures and lost answers', async () => {
    await fail(slack.page, [{ status: 429, retry_after: 30 }]);
    expect(await postToSlack(bot(), slack.channel, MESSAGE)).toEqual({
      retry: 'Slack answered with status 429 and ratelimited.',
      afterSeconds: 30,
    });
    for (const fault of [{ status: 503 }, { answer: 'lost' }, { status: 400, description: 'a_code_of_later' }]) {
      await fail(slack.page, [fault]);
      expect(await postToSlack(bot(), slack.channel, MESSAGE)).toHaveProperty('retry');
      await fail(slack.page, 'description' in fault ? [{ status: 500 }] : [fault]);
      expect(await tellSlack(slack.webhookUrl, MESSAGE)).toHaveProperty('retry');
    }
  });

  it('name what keeps a target from taking any', async () => {
    const wrong = { ...bot(), token: 'xoxb-wrong' };
    expect(await postToSlack(wrong, slack.channel, MESSAGE)).toEqual({
      gone: 'access_refused',
      why: 'Slack answered invalid_auth.',
    });
    for (const [channel, code] of [
      ['C0NOWHERE', 'channel_not_found'],
      ['#other', 'not_in_channel'],
    ] as const)
      expect(await postToSlack(bot(), channel, MESSAGE)).toEqual({
        gone: 'channel_unavailable',
        why: `Slack answered ${code}.`,
      });
    const revoked = slack.webhookUrl.replace(/.$/, '-');
    expect(await tellSlack(revoked, MESSAGE)).toEqual({ gone: 'access_refused', why: 'Slack answered no_service.' });
  });

  it('keep their addresses and tokens out of what they say went wrong', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    const { port } = await new Promise<AddressInfo>((resolve) =>
      closed.once('listening', () => resolve(closed.address() as AddressInfo)),
    );
    await new Promise((resolve) => closed.close(resolve));
    const secret = `http://127.0.0.1:${port}/services/T0/B0/hidden`;
    const sent = [
      await tellSlack(secret, MESSAGE),
      await tellSlack('not a url with hidden', MESSAGE),
      await postToSlack({ api: secret, token: 'xoxb-hidden' }, 'C1', MESSAGE),
    ];
    expect(sent[0]).toEqual({ retry: 'The connection failed (ECONNREFUSED).' });
    expect(JSON.stringify(sent)).not.toMatch(/hidden|127\.0\.0\.1/);
  });
});

describe('mails by SES', () => {
  const credentials = async () => await Promise.resolve({ accessKeyId: 'AKIATEST', secretAccessKey: 'hidden' });
  const place = () => ({
    region: async () => await Promise.resolve('eu-west-1'),
    endpoint: ses.api,
    credentials,
    from: ses.from,
  });

  it('are signed, and have text, HTML and headers', async () => {
    expect(await sendMail(place(), ['ada@example.com'], MAIL)).toMatchObject({ sent: true });
    const { mails } = await state(ses.page);
    expect(mails).toMatchObject([{ from: ses.from, to: ['ada@example.com'], ...MAIL }]);
  });

  it('name a recipient or a sender that is not verified, which no later try changes', async () => {
    await put(ses.page, 'verified', { sandbox: true, addresses: [ses.from, 'ada@example.com'] });
    expect(await sendMail(place(), ['ada@example.com', 'ben@example.com'], MAIL)).toEqual({
      gone: 'mail_rejected',
      why: expect.stringMatching(/not verified.*: ben@example\.com$/),
    });
    expect(await sendMail(place(), ['ada@example.com'], MAIL)).toMatchObject({ sent: true });
    await put(ses.page, 'verified', { sandbox: false, addresses: [] });
    expect(await sendMail(place(), ['ada@example.com'], MAIL)).toMatchObject({ gone: 'mail_rejected' });
    await put(ses.page, 'verified', { sandbox: false, addresses: [ses.from] });
  });

  it.for([
    ['MailFromDomainNotVerifiedException', 400, { gone: 'sender_not_verified' }],
    ['SendingPausedException', 400, { gone: 'sending_paused' }],
    ['AccessDeniedException', 403, { gone: 'access_refused' }],
    ['BadRequestException', 400, { refused: 'SES answered BadRequestException: as asked for' }],
    ['LimitExceededException', 400, { afterSeconds: 3_600 }],
    ['TooManyRequestsException', 429, { retry: 'SES answered with status 429 and TooManyRequestsException.' }],
    ['InternalFailure', 500, { retry: 'SES answered with status 500 and InternalFailure.' }],
  ] as const)('tell what %s means', async ([description, status, outcome]) => {
    await fail(ses.page, [{ status, description }]);
    expect(await sendMail(place(), ['ada@example.com'], MAIL)).toMatchObject(outcome);
  });
});
