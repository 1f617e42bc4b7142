import { createHash } from 'node:crypto';
import type { Notice } from '../notice/notice.ts';
import { plainText } from './plain-text.ts';

export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Besides those that the sender sets. Values are printable ASCII. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Where a mail comes from. */
interface MailOrigin {
  /** Id of the event, or of the digest. */
  readonly event: string;
  /** Domain of the sender's address. */
  readonly domain: string;
  /** The page on which the subscription is switched off. Absent: there is no console. */
  readonly subscriptionPage?: string | undefined;
}

/**
 * A notice as an e-mail: text, and simple HTML without an image or a style sheet. Mails about jobs of one thread name the
 * same message as the one they reply to, so that mail programs show them as one conversation; that message need not
 * exist. SES gives each mail a `Message-ID`, so `X-Promptq-Event` is what is the same when one is sent twice.
 */
export function mailOf(notice: Notice, { event, domain, subscriptionPage }: MailOrigin): Mail {
  const root = `<${createHash('sha256').update(notice.thread).digest('hex').slice(0, 32)}@${domain}>`;
  const end = subscriptionPage === undefined ? '' : `\n\n--\nChange or end these messages: ${subscriptionPage}`;
  return {
    subject: notice.title,
    text: `${plainText(notice, { most: MOST })}${end}`,
    html: htmlOf(notice, subscriptionPage),
    headers: {
      'X-Promptq-Event': event,
      'In-Reply-To': root,
      References: root,
      'Auto-Submitted': 'auto-generated',
      ...(subscriptionPage !== undefined && { 'List-Unsubscribe': `<${subscriptionPage}>` }),
    },
  };
}

/** Far more than a notice has. */
const MOST = 50_000;

function htmlOf({ title, why, question, facts, link, items = [] }: Notice, subscriptionPage: string | undefined) {
  const options = question?.options.map((option) => `<li>${asHtml(option)}</li>`).join('') ?? '';
  return [
    `<p><strong>${asHtml(title)}</strong></p>`,
    why === null ? '' : `<p>${asHtml(why)}</p>`,
    question === null ? '' : `<blockquote>${asHtml(question.text).replaceAll('\n', '<br>')}</blockquote>`,
    options === '' ? '' : `<ol>${options}</ol>`,
    ...items.map(
      (item) => `<p>${linked(item.title, item.link)}${item.why === null ? '' : `<br>${asHtml(item.why)}`}</p>`,
    ),
    facts.length === 0 ? '' : `<p>${asHtml(facts.join(' · '))}</p>`,
    link === null ? '' : `<p>${linked(question === null ? 'Open in Promptq' : 'Answer in Promptq', link)}</p>`,
    subscriptionPage === undefined
      ? ''
      : `<p><small>${linked('Change or end these messages', subscriptionPage)}</small></p>`,
  ].join('');
}

function linked(text: string, link: string | null): string {
  return link === null ? asHtml(text) : `<a href="${asHtml(link)}">${asHtml(text)}</a>`;
}

function asHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
