import { expect, test } from 'vitest';
import { createClaudeDrive } from '../../../worker-container/agents/claude.ts';
import type { DrivePort } from '../../../worker-container/drives/drive.ts';

test('a message counts as delivered once, however often claude repeats it', () => {
  const sent: { readonly uuid: string }[] = [];
  const seen: string[] = [];
  const port: DrivePort = {
    send: (value) => void sent.push(value as { uuid: string }),
    close: () => undefined,
    onSeen: (id) => void seen.push(id),
  };
  const drive = createClaudeDrive('the prompt', port);
  drive.begin();
  drive.say({ id: 'msg_1', text: 'and this' });
  for (const { uuid } of [...sent, ...sent])
    drive.push(Buffer.from(`${JSON.stringify({ type: 'user', uuid, isReplay: true })}\n`));
  expect(seen).toEqual(['msg_1']);
});

test('what begins like a command of claude is given as a text', () => {
  const sent: unknown[] = [];
  const port: DrivePort = { send: (value) => sent.push(value), close: () => undefined, onSeen: () => undefined };
  const drive = createClaudeDrive('/help', port);
  drive.begin();
  drive.say({ id: 'msg_1', text: '/compact' });
  const content = (text: string) => [{ type: 'text', text }];
  expect(sent).toMatchObject(['\n/help', '\n/compact'].map((text) => ({ message: { content: content(text) } })));
});
