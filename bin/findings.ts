import { fileURLToPath } from 'node:url';
import { readAssembly } from '../lib/stacks/iam/assembly.ts';

/** Reference to a resource of another stack in a finding. */
const OTHER_STACK = /[\w-]+:ExportsOutputFnGetAtt(\w+?)[0-9A-F]{8}\w*/;

/** Summarizes the output of `cdk synth`: the size of the stacks, and the acknowledged findings of cdk-nag with their reasons. */
const stacks = readAssembly(fileURLToPath(new URL('../cdk.out', import.meta.url)));
for (const { name, template } of stacks)
  console.log(
    `${name.padEnd(28)}${String(Object.keys(template.Resources).length).padStart(4)} resources (at most 500)`,
  );

const all = stacks
  .flatMap(({ acknowledgements }) => acknowledgements)
  .filter(({ rule }) => rule.startsWith('AwsSolutions-'));
console.log(`\nAll AwsSolutions rules pass, except for ${all.length} reviewed findings:`);
for (const [reason, same] of Map.groupBy(all, ({ reason }) => reason)) {
  console.log(`\n  ${reason}`);
  for (const { rule, where } of same) console.log(`    ${where}  ${rule.replace(OTHER_STACK, '$1')}`);
}
