import { expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { collectFollowUps, countedFollowUps } from '../../../../lib/jobs/creation/collect-follow-ups.ts';

const block = (body: string) => `\`\`\`follow-up-job\n${body}\n\`\`\`\n`;

/** What the receipt has of a message. */
function collected(message: string) {
  const { messages, found } = collectFollowUps();
  messages.push(message);
  messages.end();
  return found();
}

it('each request has its position, with its body or why it has none', () => {
  const tooLong = block('x'.repeat(LIMITS.followUps.blockBytes + 1));
  expect(collected(`${block('{"a":1}')}${tooLong}${block('{}')}\`\`\`follow-up-job\n{"b"`)).toEqual({
    blocks: [
      { position: 0, body: '{"a":1}\n' },
      { position: 1, fault: 'too_long' },
      { position: 2, body: '{}\n' },
      { position: 3, fault: 'not_closed' },
    ],
    more: 0,
  });
});

it('requests beyond the limit are counted', () => {
  const found = collected(block('{}').repeat(LIMITS.followUps.blocks + 2));
  expect([found?.blocks.length, found?.more]).toEqual([LIMITS.followUps.blocks, 2]);
});

it.each([
  ['an agent', { agent: 'codex' }, ['1\n'], 'only the final message is searched'],
  ['an agent that switched them off', { agent: 'claude', follow_ups: 'off' }, [], 'setting follow_ups: off'],
  ['a script', { agent: 'shell' }, [], 'the profile p has the setting follow_ups: off'],
  ['a script that asks', { agent: 'shell', follow_ups: 'on' }, ['0\n', '1\n'], undefined],
] as const)('counted are blocks by the setting and the final message: %s', (_, profile, bodies, why) => {
  const all = collectFollowUps();
  for (const text of [block('0'), block('1')]) {
    all.messages.push(text);
    all.messages.end();
  }
  const { counted, ignored } = countedFollowUps({ name: 'p', ...profile }, all, block('1'));
  expect((counted?.blocks ?? []).map(({ body }) => body)).toEqual(bodies);
  if (why === undefined) expect(ignored).toBeUndefined();
  else expect(ignored).toContain(why);
});
