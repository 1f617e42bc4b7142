import { Command, Option } from 'commander';
import { STATUSES } from '../lib/contract/statuses.ts';
import { JobCounts } from '../lib/counters/counts.ts';
import { enterDeployment, enterReconciler } from '../lib/local/operator/operator-environment.ts';
import { defaultHome } from '../lib/local/run/default-home.ts';
import { tableClient } from '../lib/platform/aws/clients.ts';
import { triggerEnv } from '../lib/platform/config/function-env.ts';
import { readEnv } from '../lib/platform/config/read-env.ts';
import { recount, recountStats } from '../lib/stats/counting/recount-stats.ts';

/** Repair commands for operators: `npm run redrive`, `npm run recount`. */
const program = new Command('operate')
  .description('Repairs or checks the local run, or a deployed stack with --stack.')
  .addOption(new Option('--stack <name>', 'name of the data stack of a deployment; needs AWS credentials'))
  .addOption(
    new Option('--home <folder>', 'home of the local run')
      .env('PROMPTQ_HOME')
      .default(defaultHome(), 'that of this folder'),
  );

program
  .command('redrive')
  .description(
    'reissue all dispatch messages, finish lost jobs and redrive dead letters, for example after a queue was purged',
  )
  .action(async () => {
    await enterReconciler(program.opts());
    const { handler } = await import('../functions/triggers/reconcile-jobs.ts');
    await handler({ redrive: true });
    console.log('Every waiting job has a dispatch message again. Running jobs are checked when their leases expire.');
  });

program
  .command('recount')
  .description('count all jobs and compare the result with the stored counts')
  .action(async () => {
    await enterDeployment(program.opts());
    const env = readEnv(triggerEnv);
    const { table } = tableClient();
    const keptCounts = await new JobCounts({ table, registryTable: env.REGISTRY_TABLE }).read();
    const recounted = await recount(table, env.JOBS_TABLE);
    for (const status of STATUSES) {
      const same = keptCounts[status] === recounted[status];
      console.log(
        `${status.padEnd(10)} stored ${keptCounts[status]}  counted ${recounted[status]}${same ? '' : '  DIFFERENT'}`,
      );
      if (!same) process.exitCode = 1;
    }
    const { jobs, differences } = await recountStats(table, {
      jobsTable: env.JOBS_TABLE,
      registryTable: env.REGISTRY_TABLE,
    });
    for (const { item, attribute, kept, counted } of differences) {
      console.log(`${item}: ${attribute} stored ${kept}  counted ${counted}  DIFFERENT`);
      process.exitCode = 1;
    }
    if (differences.length === 0) console.log(`the statistics of projects, days and models match the ${jobs} jobs`);
    if (process.exitCode === 1)
      console.log('Counts lag writes by a second or two. Repeat the command before you trust a difference.');
  });

await program.parseAsync().catch((error: unknown) => {
  program.error(`error: ${error instanceof Error ? error.message : String(error)}`);
});
