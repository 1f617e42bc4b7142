import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { readAssembly } from '../lib/stacks/iam/assembly.ts';
import { explanationOf, objectionsTo } from '../lib/stacks/iam/explain-grant.ts';
import { type Grant, grantsOf } from '../lib/stacks/iam/grants.ts';

/** Prints what every function and task may do, from the templates that `cdk synth` has written. Exit code 1: something of it is too much. */
new Command('iam')
  .description('Prints who of a deployment may do what on what: function, actions, resources, conditions.')
  .argument('[text]', 'only of those whose name has this')
  .option('--app <folder>', 'what cdk synth has written', fileURLToPath(new URL('../cdk.out', import.meta.url)))
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
      `\n${new Set(wanted.map(({ holder }) => holder)).size} roles, ${wanted.length} grants. Why some have a *:`,
    );
    for (const [index, reason] of reasons.entries()) console.log(`  [${index + 1}] ${reason}`);
    for (const { grant, about } of objectionsTo(wanted)) {
      console.error(`TOO MUCH: ${grant.holder}: ${about}`);
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
