import type { Mutant } from '../mutant.ts';

const RIGHTS = 'lib/jobs/creation/child-rights.ts';
const RECORD = 'lib/jobs/lifecycle/follow-up-record.ts';
const DELEGATE = 'lib/jobs/creation/delegate-job.ts';
const TEST = 'test/lib/jobs/creation/delegate-job.test.ts';
const BLOCKS_TEST = 'test/lib/jobs/creation/follow-ups.test.ts';

/** What a job may start in its own name. */
export const DELEGATION: readonly Mutant[] = [
  {
    name: 'the blocks of a job bring about jobs although its token was revoked',
    file: 'lib/jobs/creation/follow-ups.ts',
    find: 'if (!isAuthorized) throw',
    replace: 'if (isAuthorized === undefined) throw',
    test: BLOCKS_TEST,
  },
  {
    name: 'a job that another one has started leaves no audit row',
    file: 'functions/triggers/count-jobs.ts',
    find: '  await auditChildren(audit, createdIn(changes));\n',
    replace: '',
    test: 'test/functions/triggers/count-jobs.test.ts',
  },
  {
    name: 'a batch that is repeated audits a child twice',
    file: 'lib/access/audit-children.ts',
    find: '        at,\n',
    replace: '',
    test: 'test/functions/triggers/count-jobs.test.ts',
  },
  {
    name: 'a follow-up is audited as started by a job in its own name',
    file: 'lib/access/audit-children.ts',
    find: 'actor !== `job:',
    replace: 'undefined === `job:',
    test: 'test/functions/triggers/count-jobs.test.ts',
  },
  {
    name: 'a job starts jobs of every profile',
    file: RIGHTS,
    find: 'if (allowed.includes(profile)) return profile;',
    replace: 'if (allowed !== undefined) return profile;',
    test: TEST,
  },
  {
    name: 'a job starts jobs outside its folder',
    file: RIGHTS,
    find: "if ('path' in own && namesBelow(own.path, wanted.path) !== undefined) return;",
    replace: "if ('path' in own) return;",
    test: BLOCKS_TEST,
  },
  {
    name: 'a job starts jobs with a token that is revoked',
    file: RIGHTS,
    find: "return Item?.state === 'active';",
    replace: 'return Item !== undefined;',
    test: TEST,
  },
  {
    name: 'a job starts jobs with a token that is gone',
    file: RIGHTS,
    find: "return Item?.state === 'active';",
    replace: "return Item === undefined || Item.state === 'active';",
    test: TEST,
  },
  {
    name: 'the jobs of blocks leave room for as many by the tool',
    file: RECORD,
    find: 'if (slotsOf(job).length + known.length >= limit)',
    replace: 'if (known.length >= limit)',
    test: TEST,
  },
  {
    name: 'a job that is being cancelled starts another one',
    file: RECORD,
    find: "  if (job.cancel_requested_at !== undefined) return { rejected: 'the job is being cancelled' };\n",
    replace: '',
    test: TEST,
  },
  {
    name: 'a repeated call counts twice',
    file: RECORD,
    find: '  if (known.includes(child)) return { job: job.shares_folder === shared.shares_folder ? job : shared };\n',
    replace: '',
    test: TEST,
  },
  {
    name: 'a place is spent on a job that was not created',
    file: DELEGATE,
    find: 'if (!isThere) await',
    replace: 'if (isThere) await',
    test: TEST,
  },
  {
    name: 'the children of a job are free of its token',
    file: DELEGATE,
    find: '    tokenId: parent.token_id,\n',
    replace: '',
    test: TEST,
  },
  {
    name: 'the jobs of blocks are free of the token of their parent',
    file: 'lib/jobs/creation/follow-ups.ts',
    find: '        tokenId: parent.token_id,\n',
    replace: '',
    test: BLOCKS_TEST,
  },
  {
    name: 'a retry by request begins no round',
    file: 'lib/jobs/lifecycle/queued-again.ts',
    find: 'const round = (job.round ?? 0) + 1;',
    replace: 'const round = job.round ?? 1;',
    test: TEST,
  },
];
