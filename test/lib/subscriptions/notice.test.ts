import { describe, expect, it } from 'vitest';
import { isLegible } from '../../../lib/contract/input/legible.ts';
import { digestOf } from '../../../lib/subscriptions/notice/digest.ts';
import { escapeMarkup, withoutCalls } from '../../../lib/subscriptions/notice/foreign-text.ts';
import { type NoticeFacts, noticesOf } from '../../../lib/subscriptions/notice/notice.ts';
import { settlesEarlier, typesThatSettle } from '../../../lib/subscriptions/notice/settles-earlier.ts';
import { mailOf } from '../../../lib/subscriptions/render/mail.ts';
import { plainText } from '../../../lib/subscriptions/render/plain-text.ts';
import { type SlackMessage, slackMessage } from '../../../lib/subscriptions/render/slack-blocks.ts';
import { SeededRandom } from '../../simulation/seeded-random.ts';

const JOB = {
  id: 'job_1',
  title: 'Nightly update',
  prompt: 'Update the dependencies',
  state_reason: {
    code: 'agent_error',
    message: 'The agent reported an error. Tests fail\nin two files',
    retryable: false,
  },
  attempt: 2,
  thread_id: 'job_1',
  total_usage: {
    ...{ input_tokens: 9_000, cached_input_tokens: 0, output_tokens: 800, reasoning_output_tokens: 0 },
    cost_usd: 0.424,
  },
  started_at: '2026-11-28T10:00:00.000Z',
  finished_at: '2026-11-28T10:04:10.000Z',
} as const;
const QUESTION = {
  ...{
    id: 'q_1',
    job_id: 'job_1',
    state: 'open',
    question: 'Which of the two databases?',
    options: ['users', 'orders'],
  },
  ...{ default: 'users', attempt: 2, asked_at: '2026-11-28T10:03:00.000Z', deadline: '2026-12-05T10:03:00.000Z' },
  ...{ answer: null, answered_by: null, answered_at: null },
} as const;

function factsOf(type: string, more: Partial<NoticeFacts['event']> = {}): NoticeFacts {
  const event = { id: '7-1', time: '2026-11-28T10:04:11.000Z', type, project: 'web', job_id: 'job_1', ...more };
  return { event, job: JOB, question: QUESTION, origin: 'https://console.example' };
}

function only(facts: NoticeFacts) {
  const [notice, ...others] = noticesOf(facts);
  if (notice === undefined || others.length > 0) throw new Error('expected one notice');
  return notice;
}

const asked = only(factsOf('question.opened', { question: { id: 'q_1', state: 'open' } }));

describe('a notice', () => {
  it('says what failed, why, what it cost, and where to look', () => {
    expect(plainText(only(factsOf('job.failed')), { most: 4_096 })).toBe(
      [
        'Failed: Nightly update',
        'The agent reported an error. Tests fail in two files',
        'Project web · $0.42 · 4 min · 2 attempts',
        'https://console.example/jobs/job_1',
      ].join('\n'),
    );
  });

  it('asks a question with its options, deadline and default', () => {
    expect(plainText(asked, { most: 4_096 }).split('\n')).toEqual([
      ...['Question: Nightly update', '', 'Which of the two databases?', '', '1. users', '2. orders'],
      'Project web · $0.42 · 4 min · 2 attempts · Answer by 2026-12-05 10:03 UTC, else “users”',
      'https://console.example/jobs/job_1',
    ]);
  });

  it('takes the place of the question when that is answered, or when the job ends', () => {
    const answered = { ...QUESTION, state: 'answered' as const, answer: 'orders', answered_by: 'user:ada@example.com' };
    const closed = { question: { id: 'q_1', state: 'answered' } };
    expect(only({ ...factsOf('question.answered', closed), question: answered })).toMatchObject({
      key: asked.key,
      settles: true,
      title: 'Answered: Nightly update',
      why: 'Which of the two databases? “orders”, by user:ada@example.com',
      question: null,
    });
    const failed = noticesOf(factsOf('job.failed', { question: { id: 'q_1', state: 'expired' } }));
    expect(failed.map(({ key, settles, mark }) => ({ key, settles, mark }))).toEqual([
      { key: 'job:job_1', settles: false, mark: 'failed' },
      { key: 'question:q_1', settles: true, mark: 'told' },
    ]);
    expect(only(factsOf('job.succeeded'))).toMatchObject({ key: 'job:job_1', settles: true });
  });

  it('changes earlier messages by events that a subscription does not ask for', () => {
    const closed = { question: { id: 'q_1', state: 'expired' } };
    const settles = (types: string[], type: string, more = {}) => settlesEarlier(types, factsOf(type, more).event);
    expect(settles(['question.opened'], 'question.expired', closed)).toBe(true);
    expect(settles(['question.opened'], 'job.cancelled', closed)).toBe(true);
    expect(settles(['question.opened'], 'job.cancelled')).toBe(false);
    expect(settles(['job.failed'], 'job.succeeded')).toBe(true);
    expect(settles(['job.failed'], 'question.expired', closed)).toBe(false);
    expect(typesThatSettle(['job.failed', 'job.created'])).toEqual(['job.succeeded', 'job.cancelled']);
    expect(typesThatSettle(['question.opened'])).toContain('question.withdrawn');
  });

  it('is not made for a job whose whole answer is NO_REPLY', () => {
    const succeeded = factsOf('job.succeeded');
    expect(noticesOf({ ...succeeded, answer: ' NO_REPLY\n' })).toEqual([]);
    expect(noticesOf({ ...succeeded, answer: 'NO_REPLY, but look at the log' })).toHaveLength(1);
    expect(noticesOf({ ...factsOf('job.failed'), answer: 'NO_REPLY' })).toHaveLength(1);
  });

  it('is about what is no job, and about types of later versions', () => {
    const subject = { kind: 'automation', id: 'a_1', name: 'nightly', why: 'Five jobs failed in a row.' };
    const paused = only({ ...factsOf('automation.paused', { job_id: null, subject }), job: undefined });
    expect(paused).toMatchObject({
      title: 'Automation paused: nightly',
      why: subject.why,
      link: 'https://console.example/automations',
    });
    expect(only(factsOf('job.archived')).title).toBe('Job archived: Nightly update');
    expect(only(factsOf('constructor', { job_id: null })).title).toMatch(/^Constructor: /);
  });

  it('joins many as a digest that begins with what asks for someone', () => {
    const failures = Array.from({ length: 40 }, () => only(factsOf('job.failed')));
    const digest = digestOf([...failures, asked], { key: 'digest', origin: 'https://console.example' });
    expect(digest.title).toBe('41 messages: 1 to answer, 40 failed');
    expect(digest.items).toHaveLength(15);
    expect(digest.items?.[0]).toMatchObject({ title: asked.title, why: 'Which of the two databases?' });
    expect(digest.facts).toEqual(['26 more']);
    expect(faultsOf(slackMessage(digest))).toEqual([]);
    expect(plainText(digest, { most: 4_096 }).length).toBeLessThanOrEqual(4_096);
  });

  it('is one conversation of mails for one thread', () => {
    const origin = { domain: 'example.com', subscriptionPage: 'https://console.example/subscriptions/s_1' };
    const [first, second] = [
      mailOf(asked, { ...origin, event: '7-1' }),
      mailOf(only(factsOf('job.failed')), { ...origin, event: '8-1' }),
    ];
    expect(first.headers['In-Reply-To']).toBe(second.headers['In-Reply-To']);
    expect([first.headers['X-Promptq-Event'], second.headers['X-Promptq-Event']]).toEqual(['7-1', '8-1']);
    expect(first.headers['List-Unsubscribe']).toBe('<https://console.example/subscriptions/s_1>');
  });
});

/** What hostile texts are put together from. */
const PIECES = [
  ...['<!channel>', '<!here|here>', '<!subteam^S1>', '<@U012345>', '<#C01>', '@everyone', '@here', '@channel', '@ada'],
  ...['&lt;!channel&gt;', '&', '<', '>', '"', "'", '*_~`', '```', '[x](tg://user?id=1)', '<a href="tg://user?id=1">'],
  ...['<script>alert(1)</script>', '<img src=x onerror=1>', 'https://evil.example/', 'mailto:a@b.c', ':tada:', '|'],
  ...['\r\nBcc: all@example.com', '\n\n\n\n', '\0', '\u202e', '\u2028', '\u200b', '\ud800', '\udc00', 'e\u0301\u0302'],
  ...[
    '👩‍👩‍👧‍👦',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '\u{e0041}',
    '\ufdd0',
    'NO_REPLY',
    '__proto__',
    'ÄÖ',
    '漢字',
    ' ',
    '\t',
    'word ',
    'a'.repeat(400),
  ],
  ...['e\u0301\u0301\u0301'.repeat(200), '<'.repeat(300), '&@'.repeat(200)],
];

function hostile(random: SeededRandom): string {
  const length = random.pick([0, 1, 2, 5, 20, 60]);
  return Array.from({ length }, () => random.pick(PIECES)).join('');
}

it('calls nobody and breaks no limit, whatever 10,000 texts of agents and clients are', { timeout: 120_000 }, () => {
  const random = new SeededRandom(48);
  const asText = (text: string) => withoutCalls(escapeMarkup(text));
  const faults: string[] = [];
  for (let texts = 0; texts < 10_000; ) {
    const [title, prompt, message, text, value] = Array.from({ length: 5 }, () => hostile(random)) as [
      string,
      ...[string, string, string, string],
    ];
    const options = Array.from({ length: random.integer(0, 10) }, () => hostile(random).slice(0, 200));
    texts += 5 + options.length;
    const type = random.pick([
      'job.failed',
      'job.succeeded',
      'question.opened',
      'question.answered',
      'automation.paused',
    ]);
    const state = type === 'question.answered' ? 'answered' : 'open';
    const subject = type.startsWith('automation') ? { kind: 'automation', id: 'a', name: title, why: message } : null;
    const facts: NoticeFacts = {
      event: { ...factsOf(type).event, project: value, subject, question: { id: 'q_1', state } },
      job: { ...JOB, title: random.pick([title, null]), prompt, state_reason: { ...JOB.state_reason, message } },
      question: { ...QUESTION, state, question: text.slice(0, 2_048), options, default: value, answer: message },
      answer: message,
      origin: 'https://console.example',
    };
    for (const notice of noticesOf(facts)) {
      const lines = [notice.title, notice.why ?? '', ...notice.facts, ...(notice.question?.options ?? [])];
      if (lines.some((line) => !isLegible(line)) || !isLegible((notice.question?.text ?? '').replaceAll('\n', ' ')))
        faults.push(`hidden characters: ${JSON.stringify(lines)}`);
      faults.push(
        ...faultsOf(slackMessage(notice, (at) => `a:${'x'.repeat(40)}:${at}`)),
        ...faultsOf(slackMessage(notice)),
      );
      const telegram = plainText(notice, { most: 4_096, asText });
      if (telegram.length > 4_096 || /[<>]|@(?!\u2060)/.test(telegram)) faults.push(`telegram: ${telegram}`);
      if (!telegram.endsWith(notice.link ?? '')) faults.push(`no link: ${telegram}`);
      const mail = mailOf(notice, { event: '1-1', domain: 'example.com' });
      if (/[\r\n]/.test(mail.subject) || mail.subject.length > 200) faults.push(`subject: ${mail.subject}`);
      const tags = mail.html.replaceAll(
        /<\/?(?:p|strong|blockquote|br|ol|li|small)>|<a href="https:\/\/console\.example[^"<>]*">|<\/a>/g,
        '',
      );
      if (/[<>"]/.test(tags)) faults.push(`html: ${mail.html}`);
    }
  }
  expect(faults.slice(0, 3)).toEqual([]);
});

interface Block {
  readonly type: string;
  readonly text?: SlackText;
  readonly elements?: readonly (SlackText & { readonly text?: SlackText | string; readonly value?: string })[];
}
interface SlackText {
  readonly type: string;
  readonly text?: unknown;
  readonly verbatim?: boolean;
}

/** What Slack would refuse, or take for a mention. */
function faultsOf({ text, blocks }: SlackMessage): string[] {
  const faults: string[] = [];
  const check = (one: SlackText | undefined, most: number) => {
    const shown = String(one?.text ?? '');
    const [own, isText] = [shown.replaceAll(/<https:\/\/console\.example\/jobs\/\w+\|[^<>|]*>/g, ''), one?.type];
    if (shown.length < 1 || shown.length > most) faults.push(`length ${shown.length} of ${most}: ${shown}`);
    if (isText === 'plain_text' ? /[<>]/.test(shown) : one?.verbatim !== true || /[<>]/.test(own)) faults.push(shown);
    if (/@(?!\u2060)|&(?!amp;|lt;|gt;)/.test(shown)) faults.push(shown);
  };
  check({ type: 'plain_text', text }, 3_000);
  if (blocks.length > 50 || JSON.stringify(blocks).length > 13_000) faults.push(`${blocks.length} blocks`);
  for (const { type, text: shown, elements = [] } of blocks as readonly Block[]) {
    if (shown !== undefined) check(shown, type === 'header' ? 150 : 3_000);
    for (const element of elements) {
      if (type === 'context') check(element, 3_000);
      else check(element.text as SlackText, 75);
      if ((element.value ?? '').length > 2_000) faults.push('value');
    }
    if (elements.length > (type === 'context' ? 10 : 25)) faults.push(`${elements.length} elements`);
  }
  return faults;
}
