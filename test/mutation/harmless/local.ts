import type { Harmless } from './harmless.ts';

/** Mutants of the local run that change nothing of importance. */
export const LOCAL: readonly Harmless[] = [
  {
    file: 'lib/local/emulators/dynamodb/dynamodb-proxy.ts',
    find: "['content-type', 'x-amz-target', 'x-amz-date', 'authorization']",
    replace: "['x-amz-target', 'x-amz-date', 'authorization']",
    reason: 'the emulator also takes requests without a content type',
  },
  {
    file: 'lib/local/emulators/dynamodb-emulator.ts',
    find: 'indexStreamRecords(file);',
    replace: ';',
    reason: 'without the index, the stream is read more slowly',
  },
  {
    file: 'lib/local/run-access/signature-check.ts',
    in: 'isCurrent',
    find: 'Number.isNaN(signedAt)',
    replace: 'false',
    reason: 'a time that is no number is neither late enough nor early enough, so it is refused all the same',
  },
  {
    file: 'lib/local/run-access/connection-owner.ts',
    find: '3',
    replace: '30',
    reason: 'more reads find a connection that is there; only a caller that is refused anyway waits for them',
  },
  {
    file: 'lib/local/triggers/queue-trigger.ts',
    find: 'client.destroy();',
    replace: ';',
    reason: 'a connection that is not used keeps no process alive, and is closed after a while',
  },
  {
    file: 'lib/local/gateway/gateway.ts',
    find: '30_000',
    replace: '300000',
    reason: 'only a client whose request does not arrive in time waits for its refusal some minutes longer',
  },
  ...['rejectRequest', 'rejectForeign', 'rejectTooMany'].map((name) => ({
    file: 'lib/local/gateway/gateway-rejections.ts',
    in: name,
    find: 'request.resume();',
    replace: ';',
    reason: 'Node discards the rest of a request itself once its answer is sent',
  })),
  {
    file: 'lib/local/gateway/browser-name.ts',
    find: 'request.resume();',
    replace: ';',
    reason: 'Node discards the rest of a request itself once its answer is sent',
  },
  {
    file: 'lib/local/gateway/function-log.ts',
    find: "!text.startsWith('{')",
    replace: 'false',
    reason: 'a line that is no object is no failure either; it is only parsed in vain',
  },
  {
    file: 'lib/local/gateway/function-log.ts',
    find: 'written > 0',
    replace: 'true',
    reason: 'an empty file is not moved, so it is opened once more',
  },
];
