import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

/** `npm run bench`: every measurement of docs/operate/performance.md, one after the other. */
const PARTS: readonly { readonly about: string; readonly args: readonly string[] }[] = [
  { about: 'Starts of functions, and what a request costs by memory', args: ['bench', 'starts', '--rounds', '5'] },
  { about: 'Short jobs of a local run', args: ['bench', 'short', '--rounds', '1', '--jobs', '200'] },
  { about: 'What a life of a job and a page of the list are charged for', args: ['bench', 'cost'] },
  { about: "Scale, by a model of DynamoDB's partitions", args: ['prove', 'scale'] },
  { about: 'Requests, bundles and CPU time beside the stored baseline', args: ['bench', 'quick'] },
];

const TOOL = join(import.meta.dirname, '../bin/tool.ts');

console.log(
  `Measures everything, in about ten minutes on a quiet machine. One part: npm run bench -- NAME (--help lists them). ` +
    `Beside other queues: npm run bench -- peers.\n${new Date().toISOString().slice(0, 10)}, ` +
    `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`,
);
const failed: string[] = [];
for (const { about, args } of PARTS) {
  const command = `npm run ${args[0]} -- ${args.slice(1).join(' ')}`;
  console.log(`\n## ${about}\n\n\`${command}\`, load ${loadavg()[0]?.toFixed(1)}\n`);
  const [code] = (await once(spawn(process.execPath, [TOOL, ...args], { stdio: 'inherit' }), 'exit')) as [
    number | null,
  ];
  if (code !== 0) failed.push(command);
}
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join('; ')}`);
  process.exitCode = 1;
}
