import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { createJsonLines } from '../../lib/vendors/output/json-lines.ts';
import type { Drive, DrivePort } from './drive.ts';

/**
 * Drives `claude --input-format stream-json --replay-user-messages` 2.1.328: user messages as lines on stdin. It repeats
 * each one on stdout when it has put it into the session. stdin ends at the first result, so that the process does; a
 * message that claude had not read until then gets a turn after it in the same process.
 */
export function createClaudeDrive(prompt: string, port: DrivePort): Drive {
  const given = new Map<string, string>();
  let over = false;

  function give(text: string, uuid: string): void {
    port.send({ type: 'user', uuid, message: { role: 'user', content: [{ type: 'text', text: claudeText(text) }] } });
  }

  const lines = createJsonLines((value) => {
    const line = lineSchema.safeParse(value).data;
    if (line?.type === 'user') {
      const messageId = given.get(line.uuid);
      given.delete(line.uuid);
      if (messageId !== undefined) port.onSeen(messageId);
    } else if (line?.type === 'result' && !over) {
      over = true;
      port.close();
    }
  });

  return {
    begin: () => give(prompt, randomUUID()),
    push: (chunk) => lines.push(chunk),
    say({ id, text }) {
      if (over) return false;
      const uuid = randomUUID();
      given.set(uuid, id);
      give(text, uuid);
      return true;
    },
  };
}

/**
 * A text for claude that stays one: claude 2.1.328 takes one that begins with a slash for its command, such as `/help` or
 * `/clear`, and asks no model. A line feed before it changes nothing for a model.
 */
export function claudeText(text: string): string {
  return text.startsWith('/') ? `\n${text}` : text;
}

const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user'), uuid: z.string(), isReplay: z.literal(true) }),
  z.object({ type: z.literal('result') }),
]);
