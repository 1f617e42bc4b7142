import type { Mutant } from '../mutant.ts';

/** How a worker runs and reports an attempt. */
export const ATTEMPTS: readonly Mutant[] = [
  {
    name: 'the receipt is written after the report',
    file: 'worker-container/attempt/attempt-report.ts',
    find: '      await context.output.putReceipt(receipt);\n    }, receiving);',
    replace:
      "      await transition(context, job, { type: 'end', receipt });\n      await context.output.putReceipt(receipt);\n    }, receiving);",
  },
  {
    name: 'a receipt is written without retries',
    file: 'worker-container/attempt/attempt-report.ts',
    find: 'putReceipt(receipt);\n    }, receiving);',
    replace: 'putReceipt(receipt);\n    }, { ...receiving, tries: 1 });',
    test: 'test/worker-container/attempt/attempt-report.test.ts',
  },
  {
    name: 'a report is written without retries',
    file: 'worker-container/attempt/attempt-report.ts',
    find: '    }, tries(LEASE.duration));',
    replace: '    }, { ...tries(LEASE.duration), tries: 1 });',
    test: 'test/worker-container/attempt/attempt-report.test.ts',
  },
  {
    name: 'nothing is retried',
    file: 'worker-container/output/retrying.ts',
    find: 'if (left <= 1) throw error;',
    replace: 'throw error;',
    test: 'test/worker-container/output/output-shipper-faults.test.ts',
  },
  {
    name: 'live chunks are deleted before they are joined',
    file: 'worker-container/output/stream-shipper.ts',
    find: '    await this.#retrying(() => objects.uploadFile(joinedKey, spool.path, spool.bytes, signal));',
    replace:
      '    await this.#retrying(() => objects.deleteMany(this.#chunks.map(chunkKey), signal));\n    await this.#retrying(() => objects.uploadFile(joinedKey, spool.path, spool.bytes, signal));',
  },
  {
    name: 'a heartbeat counts from its answer instead of its sending',
    file: 'worker-container/heartbeat/heartbeat.ts',
    find: 'this.#acknowledgedAt = sentAt;',
    replace: 'this.#acknowledgedAt = this.#timing.now();',
    test: 'test/worker-container/heartbeat/heartbeat.test.ts',
  },
  {
    name: 'a heartbeat does not extend the lease',
    file: 'worker-container/heartbeat/heartbeat.ts',
    find: 'clock.now() + LEASE.duration',
    replace: 'clock.now()',
  },
  {
    name: 'a failed check for starving jobs ends the worker',
    file: 'worker-container/pool/message-poller.ts',
    find: 'this.#options.onFailure(error);\n      return [];',
    replace: 'throw error;',
  },
  {
    name: 'a stopping worker does not release its jobs',
    file: 'worker-container/attempt/attempt.ts',
    find: "stopping.addEventListener('abort', stop, { once: true });",
    replace: '',
    test: 'test/worker-container/pool/worker.test.ts',
  },
  {
    name: 'a worker whose registration is not acknowledged stays',
    file: 'worker-container/pool/registration.ts',
    find: 'if (this.#hasTimeLeft()) return;',
    replace: 'if (this.#timers.length > 0) return;',
    test: 'test/worker-container/pool/unacknowledged.test.ts',
  },
  {
    name: 'a worker starts although its first registration arrived too late',
    file: 'worker-container/pool/registration.ts',
    find: '      return await this.#register();',
    replace: '      await this.#register();\n      return true;',
    test: 'test/worker-container/pool/registration.test.ts',
  },
  {
    name: 'a registration counts however late it arrives',
    file: 'lib/workers/live-workers.ts',
    find: 'return this.#clock.now() - seenAt <= SILENT_AFTER_MS - 2 * REGISTER_INTERVAL_MS;',
    replace: 'return seenAt > 0;',
    test: 'test/lib/workers/live-workers.test.ts',
  },
  {
    name: 'acknowledged registrations do not count',
    file: 'worker-container/pool/registration.ts',
    find: '    this.#hasTimeLeft = stallTolerantTimer(unacknowledgedLimitMs);\n',
    replace: '',
    test: 'test/worker-container/pool/unacknowledged.test.ts',
  },
];
