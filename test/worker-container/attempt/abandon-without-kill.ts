import { once } from 'node:events';
import { shell } from '../../../worker-container/agents/shell.ts';
import { abandonAgent } from '../../../worker-container/attempt/start-agent.ts';
import { spawnTree } from '../../../worker-container/commands/process-tree.ts';

/** Abandons a script once it has written something, and prints what became of it as JSON. */
const [script = ''] = process.argv.slice(2);
const logged: string[] = [];
let survived = 0;
const context = {
  log: { error: (...given: readonly unknown[]) => void logged.push(String(given[0])) },
  killTimeoutMs: 500,
  onSurvivors: () => (survived += 1),
};
const mark = `abandoned/${process.pid}`;
const env = { PATH: process.env.PATH ?? '' };
const command = { command: '/bin/bash', args: ['-c', script], env, cwd: '/', stdin: '', mark, account: undefined };
const tree = await spawnTree(command);
const [line] = (await once(tree.stdout, 'data')) as [Buffer];
const error = await abandonAgent(context, { agent: shell, tools: undefined }, mark, { tree }).catch(String);
process.stdout.write(JSON.stringify({ pid: Number(line), error, survived, logged }));
