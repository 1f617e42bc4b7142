import { openSync, writeSync } from 'node:fs';
import { readSessionFile } from '../../../worker-container/agent-sessions/read-session-file.ts';
import { attachFile } from '../../../worker-container/tools/attach-file.ts';

/** Uses up the descriptors of this process, and prints how its attempts to start others end. */
const none = { uid: 1_234_567, gid: 1_234_567, enderUid: 1_234_568 };
const calls = [undefined, none].flatMap((account) => [
  () => readSessionFile({ folder: '/tmp', sessionId: 'id', from: 0, most: 1, account }),
  () => attachFile({ cwd: '/tmp', attachments: '/tmp', account }).call({ path: 'x' }, new AbortController().signal),
]);
// Until the end: a process that waits for nothing ends.
const alive = setInterval(() => undefined, 1_000);
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // All are in use.
}
for (const call of calls) writeSync(1, `${await call().catch((error: Error) => error.message)}\n`);
clearInterval(alive);
