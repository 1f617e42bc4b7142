import { Command, Option } from 'commander';
import { STATUSES } from '../lib/contract/schemas/job.ts';
import { enterDeployment } from '../lib/local/operator/operator-environment.ts';
import { tableClient } from '../lib/platform/aws/clients.ts';
import { readEnv, triggerEnv } from '../lib/platform/config/env.ts';
import { JobCounts } from '../lib/stats/counting/counts.ts';
import { recount } from '../lib/stats/counting/recount.ts';
import { recountStats } from '../lib/stats/counting/recount-stats.ts';

/** Operators' commands for a bad day: `npm run redrive`, `npm run recount`. */
const program = new Command('operate')
  .description('Sets right, or checks, the local run, or a deployed stack with --stack.')
  .addOption(new Option('--stack <name>', 'name of the data stack of a deployment; needs AWS credentials'))
  .addOption(new Option('--home <folder>', 'home of the local run').env('PROMPTQ_HOME').default('.promptq'));

program
  .command('redrive')
  .description(
    'send every permit anew, settle every lost job and put back dead letters: for the day a queue was purged',
  )
  .action(async () => {
    await enterDeployment(program.opts());
    const { handler } = await import('../functions/triggers/reconcile-jobs.ts');
    await handler({ redrive: true });
    console.log('Every waiting job has a permit again, and every running one is looked at when its lease is over.');
  });

program
  .command('recount')
  .description('count the jobs one by one and compare with the counts that are kept')
  .action(async () => {
    await enterDeployment(program.opts());
    const env = readEnv(triggerEnv);
    const { table } = tableClient();
    const keptCounts = await new JobCounts(table, env.REGISTRY_TABLE).read();
    const recounted = await recount(table, env.JOBS_TABLE);
    for (const status of STATUSES) {
      const same = keptCounts[status] === recounted[status];
      console.log(
        `${status.padEnd(10)} kept ${keptCounts[status]}  counted ${recounted[status]}${same ? '' : '  DIFFERENT'}`,
      );
      if (!same) process.exitCode = 1;
    }
    const { jobs, differences } = await recountStats(table, {
      jobsTable: env.JOBS_TABLE,
      registryTable: env.REGISTRY_TABLE,
    });
    for (const { item, attribute, kept, counted } of differences) {
      console.log(`${item}: ${attribute} kept ${kept}  counted ${counted}  DIFFERENT`);
      process.exitCode = 1;
    }
    if (differences.length === 0) console.log(`the figures of projects, days and models are those of the ${jobs} jobs`);
    if (process.exitCode === 1)
      console.log('Counts lag writes by a second or two: count again before you believe a difference.');
  });

await program.parseAsync().catch((error: unknown) => {
  program.error(`error: ${error instanceof Error ? error.message : String(error)}`);
});
