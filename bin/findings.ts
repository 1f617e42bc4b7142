import { fileURLToPath } from 'node:url';
import { readAssembly } from '../lib/stacks/iam/assembly.ts';

/** How a rule says that what it is about lies in another stack. */
const OTHER_STACK = /[\w-]+:ExportsOutputFnGetAtt(\w+?)[0-9A-F]{8}\w*/;

/** Prints what `cdk synth` has written in short: how large the stacks are, and which findings of cdk-nag's rules were left, for which reason. */
const stacks = readAssembly(fileURLToPath(new URL('../cdk.out', import.meta.url)));
for (const { name, template } of stacks)
  console.log(
    `${name.padEnd(24)}${String(Object.keys(template.Resources).length).padStart(4)} resources (500 at most)`,
  );

const all = stacks
  .flatMap(({ acknowledgements }) => acknowledgements)
  .filter(({ rule }) => rule.startsWith('AwsSolutions-'));
console.log(`\nEvery AwsSolutions rule holds, but for ${all.length} findings that were looked at:`);
for (const [reason, same] of Map.groupBy(all, ({ reason }) => reason)) {
  console.log(`\n  ${reason}`);
  for (const { rule, where } of same) console.log(`    ${where}  ${rule.replace(OTHER_STACK, '$1')}`);
}
