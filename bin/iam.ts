import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { readAssembly } from '../lib/stacks/iam/assembly.ts';
import { explanationOf, objectionsTo } from '../lib/stacks/iam/explain-grant.ts';
import { type Grant, grantsOf } from '../lib/stacks/iam/grants.ts';

/** Prints the permissions of every function and task from the templates of `cdk synth`. Exit code 1: a permission is too broad. */
new Command('iam')
  .description('Prints the permissions of a deployment: role, actions, resources, conditions.')
  .argument('[text]', 'only roles whose name contains this text')
  .option('--app <folder>', 'output folder of cdk synth', fileURLToPath(new URL('../cdk.out', import.meta.url)))
  .action((text: string | undefined, { app }: { app: string }) => {
    const grants = readAssembly(app).flatMap(({ name, template }) =>
      grantsOf(template).map((grant) => ({ ...grant, holder: `${name}: ${grant.holder}` })),
    );
    const wanted = grants.filter(({ holder }) => text === undefined || holder.includes(text));
    const reasons = [...new Set(wanted.flatMap((grant) => explanationOf(grant)?.reason ?? []))];
    for (const [holder, held] of Map.groupBy(wanted, ({ holder }) => holder)) {
      console.log(`\n${holder}`);
      for (const grant of held) console.log(`  ${line(grant, reasons)}`);
    }
    console.log(
      `\n${new Set(wanted.map(({ holder }) => holder)).size} roles, ${wanted.length} grants. Reasons for wildcards:`,
    );
    for (const [index, reason] of reasons.entries()) console.log(`  [${index + 1}] ${reason}`);
    for (const { grant, about } of objectionsTo(wanted)) {
      console.error(`TOO BROAD: ${grant.holder}: ${about}`);
      process.exitCode = 1;
    }
  })
  .parse();

function line(grant: Grant, reasons: readonly string[]): string {
  const reason = explanationOf(grant)?.reason;
  const note = reason === undefined ? '' : `  [${reasons.indexOf(reason) + 1}]`;
  const when = grant.conditions.length === 0 ? '' : `  when ${grant.conditions.join('; ')}`;
  return `${grant.actions.join(' ').padEnd(44)}  ${grant.resources.join(' ')}${note}${when}`;
}
