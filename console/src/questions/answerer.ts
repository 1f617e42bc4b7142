const MESSENGERS: Readonly<Record<string, string>> = { slack: 'Slack', telegram: 'Telegram' };

/** Who answered a question and, if that was in a messenger, where: `slack:U024BE7LH` is a person there. */
export function answererText(by: string): string {
  const [, messenger = '', person] = /^(slack|telegram):(.+)$/.exec(by) ?? [];
  return person === undefined ? `${by} answered` : `${person} answered in ${MESSENGERS[messenger]}`;
}
