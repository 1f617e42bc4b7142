import { cut, escapeMarkup, withoutCalls } from '../notice/foreign-text.ts';
import type { Notice } from '../notice/notice.ts';
import { plainText } from './plain-text.ts';

/**
 * A notice as Slack's blocks. Texts are of type `plain_text` and have the three escapes, so nothing that an agent or a
 * client wrote is a mention or a link. `@` is followed by a word joiner besides, for the line that notifications show,
 * which Slack parses.
 */

/** Slack's limits, in UTF-16 units: https://docs.slack.dev/reference/block-kit. `all`: undocumented, for all blocks. */
const MOST = {
  header: 150,
  section: 3_000,
  context: 300,
  item: 400,
  label: 75,
  url: 3_000,
  text: 3_000,
  all: 12_000,
} as const;
/** Blocks of a message. */
const BLOCKS = 50;
/** A label that is cut is listed in full above the buttons. */
const SHORT_LABEL = 40;

/** What `chat.postMessage`, `chat.update` and an incoming webhook take. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

/** @param buttonValue the signed value of the button of an option; absent: options are listed as text */
export function slackMessage(notice: Notice, buttonValue?: (option: number) => string): SlackMessage {
  const { title, why, question, facts, items = [] } = notice;
  const hasButtons = question !== null && buttonValue !== undefined && question.options.length > 0;
  const isListed = question !== null && (!hasButtons || question.options.some(({ length }) => length > SHORT_LABEL));
  const blocks = [
    { type: 'header', text: plain(title, MOST.header) },
    ...(why === null ? [] : [section(why)]),
    ...(question === null || question.text === '' ? [] : [section(question.text)]),
    ...(isListed && question.options.length > 0
      ? [section(question.options.map((option, at) => `${at + 1}. ${option}`).join('\n'))]
      : []),
    ...items.map(itemSection),
    ...(facts.length === 0 ? [] : [{ type: 'context', elements: [plain(facts.join(' · '), MOST.context)] }]),
    ...actions(notice, hasButtons ? buttonValue : undefined),
  ];
  return { text: cut(plainText(notice, { most: MOST.text, asText }), MOST.text), blocks: fitting(blocks) };
}

function actions({ question, link }: Notice, buttonValue: ((option: number) => string) | undefined): object[] {
  const answers =
    buttonValue === undefined || question === null
      ? []
      : question.options.map((option, at) => ({
          type: 'button',
          action_id: `answer-${at}`,
          text: plain(option.length > SHORT_LABEL ? `${at + 1}. ${option}` : option, MOST.label),
          value: buttonValue(at),
        }));
  const open =
    link === null || link.length > MOST.url
      ? []
      : [{ type: 'button', action_id: 'open', text: plain('Open in Promptq', MOST.label), url: link }];
  const elements = [...answers, ...open];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

/** Leaves out blocks from the end of the list, but for the buttons, until the message is short enough. */
function fitting(blocks: readonly object[]): object[] {
  const kept = [...blocks];
  while (kept.length > BLOCKS || JSON.stringify(kept).length > MOST.all) kept.splice(-3, 1);
  return kept;
}

function section(text: string): object {
  return { type: 'section', text: plain(text, MOST.section) };
}

/** One of a digest. Its name is the link, so it is of the type that has links, with nothing parsed but that. */
function itemSection({ title, why, link }: Pick<Notice, 'title' | 'why' | 'link'>): object {
  const [name, reason] = [cut(title, MOST.header, asText), why === null ? '' : `\n${cut(why, MOST.item, asText)}`];
  const named = link === null || link.length > MOST.item ? name : `<${link}|${name}>`;
  return { type: 'section', text: { type: 'mrkdwn', text: `${named}${reason}`, verbatim: true } };
}

function plain(text: string, most: number): object {
  return { type: 'plain_text', text: cut(text, most, asText), emoji: false };
}

function asText(text: string): string {
  return withoutCalls(escapeMarkup(text));
}
