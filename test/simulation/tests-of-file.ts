/** The tests that are to see what a file gets wrong, where the simulator does not. */
export function testsOf(file: string): readonly string[] {
  const tests = TESTS[file] ?? [];
  return tests.map((name) => `test/${name}.test.ts`);
}

const TESTS: Readonly<Record<string, readonly string[]>> = {
  'lib/jobs/act-on-job.ts': ['api/job-actions'],
  'lib/jobs/claim.ts': ['lib/jobs/claim', 'lib/jobs/folder-holds', 'lib/jobs/consistent-reads'],
  'lib/jobs/counts.ts': ['lib/jobs/counts', 'lib/jobs/consistent-reads'],
  'lib/jobs/create-job.ts': ['api/main-job'],
  'lib/jobs/edit-job.ts': ['api/job-actions'],
  'lib/jobs/follow-up-record.ts': ['lib/jobs/follow-ups'],
  'lib/jobs/follow-ups.ts': ['lib/jobs/follow-ups'],
  'lib/jobs/job-store.ts': [
    'lib/jobs/takeover',
    'lib/jobs/claim',
    'lib/jobs/late-report',
    'lib/jobs/decisions',
    'lib/jobs/permits',
  ],
  'lib/jobs/lease.ts': ['lib/jobs/lifecycle', 'lib/jobs/takeover'],
  'lib/jobs/lifecycle.ts': [
    'lib/jobs/usage',
    'lib/jobs/lifecycle',
    'lib/jobs/parked-jobs',
    'lib/jobs/reread-job',
    'lib/jobs/decisions',
    'lib/jobs/permits',
  ],
  'lib/jobs/parked-jobs.ts': ['lib/jobs/parked-jobs', 'lib/jobs/consistent-reads', 'lib/jobs/settle-attempt'],
  'lib/jobs/permit.ts': [
    'lib/jobs/redeliver',
    'worker-container/permit-source',
    'worker-container/worker',
    'lib/jobs/permits',
    'worker-container/worker-permits',
  ],
  'lib/jobs/probes.ts': ['lib/jobs/parked-jobs', 'lib/jobs/consistent-reads'],
  'lib/jobs/reread-attempt.ts': ['lib/jobs/reread-job'],
  'lib/jobs/reread-job.ts': ['lib/jobs/reread-job'],
  'lib/jobs/settle-attempt.ts': [
    'lib/jobs/follow-ups',
    'lib/jobs/parked-jobs',
    'lib/jobs/consistent-reads',
    'lib/jobs/settle-attempt',
  ],
  'lib/jobs/settled-children.ts': ['api/follow-ups', 'lib/jobs/consistent-reads'],
  'lib/jobs/starving-bands.ts': ['lib/jobs/starving-bands'],
  'lib/jobs/transition.ts': [
    'lib/jobs/transition',
    'lib/jobs/takeover',
    'lib/jobs/claim',
    'lib/jobs/lifecycle',
    'lib/jobs/permits',
  ],
  'lib/jobs/watch-jobs.ts': [
    'lib/jobs/takeover',
    'lib/jobs/starving-bands',
    'bin/operate',
    'lib/jobs/consistent-reads',
    'lib/jobs/permits',
  ],
  'lib/jobs/watch.ts': ['lib/jobs/follow-ups', 'lib/jobs/redeliver'],
  'worker-container/attempt-report.ts': ['worker-container/attempt-report', 'lib/jobs/late-report'],
  'worker-container/attempt.ts': ['worker-container/worker', 'worker-container/attempt'],
  'worker-container/ending.ts': ['worker-container/worker', 'worker-container/ending'],
  'worker-container/heartbeat.ts': [
    'worker-container/heartbeat',
    'lib/jobs/consistent-reads',
    'worker-container/attempt',
  ],
  'worker-container/output/retrying.ts': ['worker-container/output-shipper-faults'],
  'worker-container/output/stream-shipper.ts': [
    'worker-container/output-shipper',
    'worker-container/output-shipper-faults',
  ],
  'worker-container/permit-keeper.ts': ['worker-container/worker', 'worker-container/permit-keeper'],
  'worker-container/permit-source.ts': ['worker-container/permit-source'],
  'worker-container/worker.ts': ['worker-container/worker', 'worker-container/worker-permits'],
};
