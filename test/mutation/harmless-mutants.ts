import type { Mutant } from './mutant.ts';

const OF_A_LATER_SCHEMA =
  'an item of a later schema has no readable status or lease, so it is skipped; the check is for the compiler only';

const FURTHER_BACK =
  'from further back, every continuation byte that belongs to no character is a unit, so the same position is found';

interface Harmless extends Pick<Mutant, 'file' | 'find' | 'replace'> {
  /** The function, if the reason does not hold in the others of the file. */
  readonly in?: string;
  readonly reason: string;
}

/** Mutants that change nothing of importance, each with the reason. */
export const HARMLESS: readonly Harmless[] = [
  {
    file: 'lib/jobs/admission/claim.ts',
    find: 'received.receives === 1',
    replace: 'true',
    reason: 'a redelivered message also checks again, which costs only a few reads',
  },
  { file: 'lib/reconciler/reconcile-jobs.ts', find: "job === 'newer'", replace: 'false', reason: OF_A_LATER_SCHEMA },
  { file: 'lib/reconciler/remove-jobs.ts', find: "job === 'newer'", replace: 'false', reason: OF_A_LATER_SCHEMA },
  { file: 'lib/jobs/output/utf8-units.ts', find: '>', replace: '>=', reason: FURTHER_BACK },
  { file: 'lib/jobs/output/utf8-units.ts', find: '3', replace: '30', reason: FURTHER_BACK },
  {
    file: 'lib/jobs/output/utf8-units.ts',
    find: 'start > Math.max(0, at - 3)',
    replace: 'true',
    reason: FURTHER_BACK,
  },
  {
    file: 'lib/doctor/service/check-service.ts',
    find: '<',
    replace: '<=',
    in: 'checkClock',
    reason: 'a time that is that of the request is neither before it nor after its answer, so either side finds 0',
  },
  {
    file: 'lib/platform/operations/probe-disk.ts',
    find: 'await file.datasync();',
    replace: ';',
    reason:
      'file systems here refuse the write itself; the call is for those that refuse only what is written to the disk',
  },
  {
    file: 'lib/deployments/reconcile-deployments.ts',
    find: 'false',
    replace: 'true',
    reason: 'a job whose bindings act has ended, so the time of its end is there; the check is for the compiler only',
  },
  {
    file: 'lib/composition/create-scaling.ts',
    find: '6',
    replace: '60',
    reason: 'ECS refuses too many starts for seconds only, and the time limit of the function ends the tries',
  },
  {
    file: 'lib/console/publish-console.ts',
    find: '8',
    replace: '80',
    reason: 'more uploads at once store the same files',
  },
  {
    file: 'lib/console/publish-console.ts',
    find: '<',
    replace: '<=',
    reason: 'after the last files, one more turn has none to send',
  },
  {
    file: 'lib/vendors/output/json-lines.ts',
    find: 'parts.length === 0',
    replace: 'false',
    in: 'end',
    reason: 'a line that came in one piece is copied once before it is parsed, which costs little beside that',
  },
  {
    file: 'lib/vendors/output/json-lines.ts',
    find: '<',
    replace: '<=',
    in: 'push',
    reason: 'an empty rest adds no byte to the line that follows',
  },
  {
    file: 'lib/deployments/deliver-call.ts',
    find: 'result.status >= 200',
    replace: 'true',
    in: 'conclude',
    reason: 'Node passes on no answer with a status below 200, which is never the last one of a request',
  },
  {
    file: 'lib/deployments/calls/signed-call.ts',
    find: '>',
    replace: '>=',
    in: 'readAnswer',
    reason: 'an answer that ends exactly at the limit has nothing more to be read',
  },
  {
    file: 'lib/deployments/view-deployments.ts',
    find: 'open_url === undefined',
    replace: 'false',
    in: 'viewEditor',
    reason:
      'a binding whose template gives no link is not ready, and is left out before; the check is for the compiler',
  },
  {
    file: 'lib/deployments/calls/signed-call.ts',
    find: 'callback(null, first.address, first.family);',
    replace: ';',
    reason: 'Node asks for all addresses, unless the process is started without trying them in turn',
  },
  {
    file: 'lib/doctor/service/check-service.ts',
    find: '>=',
    replace: '>',
    reason: 'clocks that differ by exactly so many milliseconds may be on either side',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '<=',
    replace: '<',
    reason: 'what meets the boundary exactly has its turn a round later',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: '>=',
    replace: '>',
    reason: 'one job more in a run is one job fewer in the next',
  },
  {
    file: 'worker-container/tools/ask-human.ts',
    find: 'heard !== undefined',
    replace: 'false',
    reason: 'the read that follows shows the same answer, and a question that is no longer open cannot expire',
  },
  {
    file: 'lib/stats/counting/change-metrics.ts',
    find: '>',
    replace: '>=',
    in: 'claimableSince',
    reason: 'of two times that are equal, either is the same text',
  },
  {
    file: 'lib/stats/counting/stream-filter.ts',
    find: "['INSERT', 'REMOVE']",
    replace: "['REMOVE']",
    reason: 'a job that is created has no mark of a heartbeat, so the next pattern lets it through',
  },
  {
    file: 'lib/projects/project-settings.ts',
    find: 'value !== undefined',
    replace: 'true',
    in: 'without',
    reason: "the table's client stores no undefined member, and clients see null for it as for an absent one",
  },
  {
    file: 'lib/projects/project-stats.ts',
    find: '<',
    replace: '<=',
    reason: 'after the last projects there are no keys left, and without keys nothing is requested',
  },
  {
    file: 'lib/stats/counting/log-buckets.ts',
    find: '<',
    replace: '<=',
    in: 'bucketOf',
    reason: 'the logarithm of one millisecond is 0, the same bucket',
  },
  {
    file: 'lib/local/emulators/dynamodb/dynamodb-proxy.ts',
    find: "['content-type', 'x-amz-target', 'x-amz-date', 'authorization']",
    replace: "['x-amz-target', 'x-amz-date', 'authorization']",
    reason: 'the emulator also takes requests without a content type',
  },
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: "'EPERM'",
    replace: "'ENOENT'",
    reason: 'tests run as root, or as the user of the processes, where no file of /proc is refused in this way',
  },
  {
    file: 'bin/bundle-worker.ts',
    find: "['module', 'main']",
    replace: "['main']",
    reason: 'packages do the same as CommonJS; the bundle is larger',
  },
  {
    file: 'console/src/form/use-submit-key.ts',
    find: 'event.preventDefault();',
    replace: ';',
    reason: 'where a browser submits by this key as well, a form that is sent twice creates one entry',
  },
  {
    file: 'lib/access/origin-secret.ts',
    find: '>',
    replace: '>=',
    reason: 'there is no version 0 to remove',
  },
  {
    file: 'lib/cli/commands/attachments.ts',
    find: 'attempt === undefined',
    replace: 'false',
    reason: 'the client of the API sends no parameter that is undefined; the check is for the compiler only',
  },
  {
    file: 'lib/cli/commands/say.ts',
    find: 'idempotencyKey === undefined',
    replace: 'false',
    reason: 'the client adds a key where that of the fields is undefined; the check is for the compiler only',
  },
  {
    file: 'lib/cli/base/terminal.ts',
    find: '<',
    replace: '<=',
    in: 'harmless',
    reason: 'the first character that is not below is a space, which controls nothing and is never replaced',
  },
  {
    file: 'lib/cli/jobs/download.ts',
    find: "(error.code === 'ENOENT' || error.code === 'ENOTDIR')",
    replace: 'true',
    reason: 'a name that is taken is not given to the download in the end either',
  },
  {
    file: 'lib/local/emulators/dynamodb-emulator.ts',
    find: 'indexStreamRecords(file);',
    replace: ';',
    reason: 'without the index, the stream is read more slowly',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: 'kept.size > SWEEP.kept.jobs',
    replace: 'false',
    reason: 'it bounds the memory of a sweep that meets 200,000 jobs which stay',
  },
  {
    file: 'worker-container/repository/kept-clone.ts',
    find: '27',
    replace: '270',
    reason: 'git finds an object whether it is packed or not',
  },
  {
    file: 'lib/access/sign-in/identity-provider.ts',
    find: "typeof error.code === 'string'",
    replace: 'true',
    reason: 'it only words an error whose code is no text, and openid-client has none',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '100',
    replace: '1000',
    reason: 'a request asks for at most 100 keys however many are checked at once',
  },
  {
    file: 'lib/workers/scaling/launches.ts',
    find: '>=',
    replace: '>',
    reason: 'a launch of exactly that millisecond may be late or not',
  },
  {
    file: 'lib/stats/counting/counted-sums.ts',
    find: 'opened === undefined',
    replace: 'false',
    reason: 'a name that ends with NaN shows no time either',
  },
  {
    file: 'lib/catalog/import-config.ts',
    in: 'presentItems',
    find: 'left.length > 0',
    replace: 'true',
    reason:
      'there is no further request with an empty list of keys: a part of the keys has some, and DynamoDB gives none',
  },
  {
    file: 'lib/catalog/import-config.ts',
    in: 'presentItems',
    find: '>',
    replace: '>=',
    reason:
      'there is no further request with an empty list of keys: a part of the keys has some, and DynamoDB gives none',
  },
  {
    file: 'lib/catalog/import-config.ts',
    in: 'presentItems',
    find: '<',
    replace: '<=',
    reason: 'a last part without keys is asked for by no request',
  },
  {
    file: 'lib/catalog/profiles.ts',
    in: 'profileItem',
    find: 'replaces === undefined',
    replace: 'false',
    reason: 'a member that is undefined is not stored',
  },
  {
    file: 'lib/catalog/profiles.ts',
    find: "['built_in', 'imported']",
    replace: "['imported']",
    reason: 'no stored profile names the source of the deployment: it is what the absence of one means',
  },
  {
    file: 'lib/catalog/vendor-account.ts',
    find: '<',
    replace: '<=',
    reason: 'no two variables of a profile have the same name',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: 'inOthers.length === 0',
    replace: 'false',
    reason: 'reading the items of no jobs sends no request',
  },
  {
    file: 'lib/reconciler/reconcile-jobs.ts',
    find: '<',
    replace: '<=',
    in: 'endLost',
    reason: 'after the last jobs, one more turn has none to end',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: '200_000',
    replace: '2000000',
    reason: 'it bounds the memory of a sweep that meets 200,000 jobs which stay',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: '>',
    replace: '>=',
    in: 'removableJobs',
    reason: 'it bounds the memory of a sweep that meets 200,000 jobs which stay',
  },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: 'isTerminal(status)',
    replace: 'true',
    reason: 'only a job that has ended has the time of its end',
  },
  {
    file: 'lib/workers/live-workers.ts',
    find: "['idle', 'outdated', 'retired', 'stopped']",
    replace: "['outdated', 'retired', 'stopped']",
    reason: 'a code that is not listed is read as one of a later version, unchanged',
  },
  {
    file: 'lib/platform/aws/batch-get.ts',
    in: 'oneGroup',
    find: 'left.length > 0',
    replace: 'true',
    reason: 'a group has keys, and DynamoDB names no table of whose keys none is left',
  },
  {
    file: 'lib/platform/aws/batch-get.ts',
    in: 'oneGroup',
    find: '>',
    replace: '>=',
    reason: 'a group has keys, and DynamoDB names no table of whose keys none is left',
  },
  {
    file: 'lib/access/audit-log.ts',
    in: 'laterOf',
    find: '>',
    replace: '>=',
    reason: 'of two equal times either is the later one',
  },
  {
    file: 'lib/access/audit-log.ts',
    in: 'list',
    find: '<',
    replace: '<=',
    reason: 'the id of a row is its time and more, so it is never the text of a time alone',
  },
  {
    file: 'lib/access/audit-log.ts',
    in: 'readCursor',
    find: '<=',
    replace: '<',
    reason: 'the id of a row is its time and more, so it is never the text of a time alone',
  },
  {
    file: 'lib/access/principal.ts',
    find: "['read', 'logs', 'attachments', 'write', 'admin']",
    replace: "['logs', 'attachments', 'write', 'admin']",
    reason: 'the scope admin grants every route, so those next to it grant nothing more',
  },
  {
    file: 'lib/mcp/answer-request.ts',
    find: 'await handler.close();',
    replace: ';',
    reason: 'what answers one message keeps no timer and is referred to by nothing else, so it is collected either way',
  },
  {
    file: 'lib/mcp/answer-request.ts',
    find: 'await server.close();',
    replace: ';',
    reason: 'what answers one message keeps no timer and is referred to by nothing else, so it is collected either way',
  },
  {
    file: 'lib/mcp/mcp-server.ts',
    find: 'inputs.set(key, input);',
    replace: ';',
    reason: 'each call then resolves the schema of its tool again, which takes a little time',
  },
  {
    file: 'lib/doctor/stores/check-output.ts',
    in: 'checkOutput',
    find: '<',
    replace: '<=',
    reason: 'one more batch, of no jobs, checks nothing',
  },
  {
    file: 'lib/platform/aws/batch-get.ts',
    in: 'batchGet',
    find: '<',
    replace: '<=',
    reason: 'a further group without keys asks for nothing',
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
  {
    file: 'worker-container/drives/codex-app-server.ts',
    in: 'giveWaiting',
    find: 'threadId === undefined',
    replace: 'false',
    reason: 'a turn has an id only after its thread has one',
  },
  {
    file: 'worker-container/drives/codex-app-server.ts',
    in: 'onAnswer',
    find: 'given.delete(refused.id);',
    replace: ';',
    reason: 'the message is given again under the same id, which replaces what was noted of it',
  },
  {
    file: 'worker-container/secrets/secret-matcher.ts',
    in: 'joined',
    find: "before === ''",
    replace: 'false',
    reason: 'an empty piece at the end of a spelling matches without any byte',
  },
  ...['rejectRequest', 'rejectForeign', 'rejectTooMany'].map((name) => ({
    file: 'lib/local/gateway/gateway-rejections.ts',
    in: name,
    find: 'request.resume();',
    replace: ';',
    reason: 'Node discards the rest of a request itself once its answer is sent',
  })),
  ...['<', '>'].map((find) => ({
    file: 'lib/platform/aws/table-clock.ts',
    in: 'observe',
    find,
    replace: `${find}=`,
    reason: 'an estimate that is exactly at a bound is set to what it is',
  })),
  {
    file: 'lib/platform/aws/table-clock.ts',
    in: 'observe',
    find: 'Number.isNaN(date)',
    replace: 'false',
    reason: 'a time that is no number is on neither side of a bound, so nothing is moved',
  },
  ...[
    ['this.#removed.push(name) > 0', 'true'],
    ['>', '>='],
  ].map(([find = '', replace = '']) => ({
    file: 'lib/platform/aws/objects/objects-on-demand.ts',
    find,
    replace,
    reason: 'a list to which something was added is never empty',
  })),
  ...[
    ['64', '640'],
    ['1024', '10240'],
    ['2', '20'],
  ].map(([find = '', replace = '']) => ({
    file: 'lib/platform/processes/proc-table.ts',
    in: find === '2' ? 'readFile' : '',
    find,
    replace,
    reason: 'a larger buffer reads the same files',
  })),
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: '32_768',
    replace: '327680',
    reason: 'Linux always tells its highest number; this one is for a /proc of which parts are hidden',
  },
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: '1_000',
    replace: '10000',
    reason: 'with a larger margin all processes are listed somewhat earlier, which finds no fewer',
  },
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: 'starts.set(pid, { inode, startedAt: entry.startedAt });',
    replace: ';',
    reason: 'a process of which nothing is remembered is read again, which costs time only',
  },
  ...[
    ['starts.size >= MAX_STARTS', 'false'],
    ['starts.size >= MAX_STARTS', '!(starts.size >= MAX_STARTS)'],
    ['>=', '>'],
    ['starts.clear();', ';'],
  ].map(([find = '', replace = '']) => ({
    file: 'lib/platform/processes/proc-table.ts',
    in: 'readStartedSince',
    find,
    replace,
    reason: 'what is remembered of processes that have ended costs memory only, and what is forgotten is read again',
  })),
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: '10_000',
    replace: '100000',
    reason: 'what is remembered of processes that have ended costs memory only, and what is forgotten is read again',
  },
  {
    file: 'lib/local/gateway/browser-name.ts',
    find: 'request.resume();',
    replace: ';',
    reason: 'Node discards the rest of a request itself once its answer is sent',
  },
  ...['256', '1024'].map((find) => ({
    file: 'lib/platform/processes/ps-table.ts',
    find,
    replace: `${find}0`,
    reason: 'no list is as long as the smaller limit',
  })),
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

/** Whether the reason of an entry holds for a mutant. */
export function isHarmlessAs(listed: Harmless, { name, file, find, replace }: Mutant): boolean {
  const isThere = listed.in === undefined || name.startsWith(`${file} ${listed.in}(): `);
  return listed.file === file && listed.find === find && listed.replace === replace && isThere;
}

/** Why a mutant changes nothing of importance; undefined: it may change something. */
export function harmlessReason(mutant: Mutant): string | undefined {
  return HARMLESS.find((listed) => isHarmlessAs(listed, mutant))?.reason;
}
