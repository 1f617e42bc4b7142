import type { EventView } from '../../contract/schemas/event.ts';
import type { JobView } from '../../contract/schemas/jobs/job.ts';
import type { QuestionView } from '../../contract/schemas/jobs/question.ts';
import { type CostlyJob, costOf } from './cost-of-job.ts';
import { oneLine, paragraphs } from './foreign-text.ts';

/*
 * What a person reads of an event: what asks for them or what failed, why in one line, what it cost, and one link. It is
 * the same for every channel; the renderers beside it only set it in type. All texts in a notice are visible and cut,
 * and none is escaped: that depends on the channel.
 *
 * A notice has a key, which names what it is about: one question, or the fate of one job. The first notice of a key is a
 * message. A later one that `settles` it takes its place where the channel can edit messages, so that a question that is
 * answered no longer asks anyone. An event is about up to two such things: the failure of a job also settles the question
 * that nobody answered.
 */

/** An event, of a job or of something else. */
export type NoticeEvent = Pick<EventView, 'id' | 'time'> & {
  readonly type: string;
  readonly question?: EventView['question'] | undefined;
  readonly project?: string | null | undefined;
  readonly job_id?: string | null | undefined;
  /** What an event concerns that is of no job, such as an account or an automation. */
  readonly subject?: Subject | null | undefined;
};

interface Subject {
  readonly kind: string;
  readonly id: string;
  readonly name?: string | null | undefined;
  /** One line about what happened. */
  readonly why?: string | null | undefined;
}

/** What a notice says about a job: of its view. */
export type NoticeJob = Pick<JobView, 'id' | 'title' | 'prompt' | 'state_reason' | 'thread_id'> & CostlyJob;

export interface NoticeFacts {
  readonly event: NoticeEvent;
  /** Absent: the event is of no job, or the job was removed meanwhile. */
  readonly job?: NoticeJob | undefined;
  /** The question that the event names. */
  readonly question?: QuestionView | undefined;
  /** The whole answer of a job that succeeded. */
  readonly answer?: string | undefined;
  /** Origin of the console. Absent: messages have no link. */
  readonly origin?: string | undefined;
}

export interface Notice {
  /** `question:ID`, `job:ID`, or the kind and id of another subject. */
  readonly key: string;
  /** It says what became of an earlier notice of the key. */
  readonly settles: boolean;
  /** What groups messages: the thread of the job, else the key. */
  readonly thread: string;
  /** What it is to a person: a digest begins with what asks for one. */
  readonly mark: 'asks' | 'failed' | 'told';
  /** One line, such as `Failed: Nightly update`. */
  readonly title: string;
  /** One line. */
  readonly why: string | null;
  readonly question: AskedOf | null;
  /** Short facts: project, cost, time. */
  readonly facts: readonly string[];
  readonly link: string | null;
  /** Notices that a digest holds. Only of a digest. */
  readonly items?: readonly Pick<Notice, 'title' | 'why' | 'link'>[];
}

/** An open question. */
interface AskedOf {
  readonly job_id: string;
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
}

/** Lengths of the parts, in UTF-16 units: what a phone shows without scrolling for minutes. */
const LENGTH = { name: 80, why: 300, question: 2_048, option: 200, fact: 100 } as const;

/** The whole answer of a job that has nothing to tell. */
const NO_REPLY = 'NO_REPLY';

/** What is said of a job before its name. */
const OF_JOB: Readonly<Record<string, string>> = {
  'job.created': 'Created',
  'job.queued': 'Queued',
  'job.succeeded': 'Succeeded',
  'job.failed': 'Failed',
  'job.cancelled': 'Cancelled',
  'job.removed': 'Removed',
  'job.waiting': 'Waits',
  'job.ready': 'Continues',
  'job.updated': 'Changed',
  'attempt.started': 'Started',
  'attempt.ended': 'Attempt ended',
  'message.accepted': 'Got a message',
  'output.deleted': 'Output deleted',
  'cancel.requested': 'Asked to end',
};

interface SubjectText {
  readonly title: string;
  readonly page: string;
  readonly mark?: Notice['mark'];
  /** It ends what was said of the subject before. */
  readonly settles?: true;
}

/** What is said of something other than a job. */
const OF_SUBJECT: Readonly<Record<string, SubjectText>> = {
  'account.required': { title: 'Account to link', page: '/account', mark: 'asks' },
  'account.limit': { title: 'Usage limit reached', page: '/account' },
  'account.linked': { title: 'Account linked', page: '/account', settles: true },
  'automation.paused': { title: 'Automation paused', page: '/automations', mark: 'failed' },
  'automation.failed': { title: 'Automation could not start its job', page: '/automations', mark: 'failed' },
  'automation.skipped': { title: 'Automation skipped a run', page: '/automations' },
  'automation.late': { title: 'Automation is late', page: '/automations' },
  'worker.launch_failed': { title: 'No worker could be started', page: '/environment', mark: 'failed' },
  'subscription.test': { title: 'Test of a subscription', page: '/subscriptions' },
  'deployment.succeeded': { title: 'Deployed', page: '/jobs' },
  'deployment.failed': { title: 'Deployment failed', page: '/jobs', mark: 'failed' },
};

/** What became of a question. */
const OF_QUESTION: Readonly<Record<string, string>> = {
  open: 'Question',
  answered: 'Answered',
  expired: 'Nobody answered',
  withdrawn: 'No longer asked',
};

/**
 * What an event tells people: nothing, one thing or two.
 * @returns first what the event's type names; notices that only settle an earlier one come last
 */
export function noticesOf(facts: NoticeFacts): Notice[] {
  const { event, answer } = facts;
  if (event.type === 'job.succeeded' && answer?.trim() === NO_REPLY) return settled(facts);
  if (event.type.startsWith('question.')) return ofQuestion(facts);
  const isOfJob = event.job_id != null && (Object.hasOwn(OF_JOB, event.type) || event.subject == null);
  return isOfJob ? [ofJob(facts), ...settled(facts)] : [ofSubject(facts)];
}

/** The question that a change of another type has closed. */
function settled(facts: NoticeFacts): Notice[] {
  const { question } = facts.event;
  return question == null || question.state === 'open' ? [] : ofQuestion(facts);
}

function ofQuestion(facts: NoticeFacts): Notice[] {
  const { event, question } = facts;
  const id = event.question?.id;
  if (id === undefined) return [];
  const state = event.question?.state ?? 'open';
  const isOpen = state === 'open';
  return [
    {
      key: `question:${id}`,
      settles: !isOpen,
      mark: isOpen ? 'asks' : 'told',
      thread: facts.job?.thread_id ?? event.job_id ?? id,
      title: `${OF_QUESTION[state] ?? 'Question'}: ${nameOf(facts)}`,
      why: question === undefined ? null : whyOfQuestion(question, state),
      question:
        isOpen && question !== undefined && event.job_id != null
          ? {
              job_id: event.job_id,
              id,
              text: paragraphs(question.question, LENGTH.question),
              options: question.options.map((option, at) => oneLine(option, LENGTH.option) || `Option ${at + 1}`),
            }
          : null,
      facts: [...factsOf(facts), ...(isOpen && question !== undefined ? [deadlineOf(question)] : [])],
      link: linkOf(facts, jobPage(event)),
    },
  ];
}

/** Of an open question nothing: its text says what it asks for. */
function whyOfQuestion({ question, answer, answered_by, default: otherwise }: QuestionView, state: string) {
  if (state === 'open') return null;
  const asked = oneLine(question, 120);
  if (state === 'answered')
    return oneLine(`${asked} ${quote(answer ?? '')}${answered_by === null ? '' : `, by ${answered_by}`}`, LENGTH.why);
  if (state === 'expired' && otherwise !== null)
    return oneLine(`${asked} The default counts: ${quote(otherwise)}`, LENGTH.why);
  return reasonOf(asked);
}

function quote(text: string): string {
  return `“${oneLine(text, 100)}”`;
}

function deadlineOf({ deadline, default: otherwise }: QuestionView): string {
  const until = `Answer by ${deadline.slice(0, 16).replace('T', ' ')} UTC`;
  return oneLine(otherwise === null ? until : `${until}, else ${quote(otherwise)}`, LENGTH.fact + 60);
}

function ofJob(facts: NoticeFacts): Notice {
  const { event, job, answer } = facts;
  const id = event.job_id ?? event.id;
  const isEnd = ['job.succeeded', 'job.failed', 'job.cancelled'].includes(event.type);
  const told = event.type === 'job.succeeded' ? answer : job?.state_reason.message;
  return {
    key: `job:${id}`,
    // A job that failed before is retried: what becomes of it stands where its failure stood.
    settles: isEnd && event.type !== 'job.failed',
    mark: event.type === 'job.failed' ? 'failed' : 'told',
    thread: job?.thread_id ?? id,
    title: `${OF_JOB[event.type] ?? titled(event.type)}: ${nameOf(facts)}`,
    why: reasonOf(told),
    question: null,
    facts: factsOf(facts),
    link: linkOf(facts, jobPage(event)),
  };
}

/** One line; null: nothing that can be seen. */
function reasonOf(text: string | null | undefined): string | null {
  return oneLine(text ?? '', LENGTH.why) || null;
}

function ofSubject(facts: NoticeFacts): Notice {
  const { event } = facts;
  const known = Object.hasOwn(OF_SUBJECT, event.type) ? OF_SUBJECT[event.type] : undefined;
  const { title = titled(event.type), settles = false, page = '/jobs', mark = 'told' } = known ?? {};
  const { kind = 'event', id = event.id, name, why } = event.subject ?? {};
  return {
    key: `${kind}:${id}`,
    settles,
    mark,
    thread: `${kind}:${id}`,
    title: `${title}: ${oneLine(name ?? id, LENGTH.name)}`,
    why: reasonOf(why),
    question: null,
    facts: event.project == null ? [] : [project(event.project)],
    link: linkOf(facts, event.job_id == null ? page : jobPage(event)),
  };
}

/** A type that only a later version knows: `job.archived` is `Job archived`. */
function titled(type: string): string {
  const words = oneLine(type.replaceAll(/[._]/g, ' '), 40);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function jobPage({ job_id }: NoticeEvent): string {
  return `/jobs/${encodeURIComponent(job_id ?? '')}`;
}

function linkOf({ origin }: NoticeFacts, path: string): string | null {
  return origin === undefined ? null : new URL(path, origin).href;
}

/** The title of the job, else how its prompt begins, else its id. */
function nameOf({ job, event }: NoticeFacts): string {
  const texts = [job?.title ?? '', job?.prompt.slice(0, 1_000) ?? '', event.job_id ?? 'a job'];
  return texts.map((text) => oneLine(text, LENGTH.name)).find((text) => text !== '') ?? 'a job';
}

function factsOf({ event, job }: NoticeFacts): string[] {
  return [...(event.project == null ? [] : [project(event.project)]), ...(job === undefined ? [] : costOf(job))];
}

function project(name: string): string {
  return oneLine(`Project ${name}`, LENGTH.fact);
}
