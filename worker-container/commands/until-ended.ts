import type { Ending } from './ending.ts';
import { endTree, type Tree, type TreeExit } from './process-tree.ts';

/** Resolves when the agent has ended and no process of its tree is alive. */
export async function untilEnded(
  tree: Tree,
  {
    agent,
    mark,
    ending,
    tools,
  }: {
    readonly agent: { readonly politeSignal: 'SIGINT' | 'SIGTERM' };
    readonly mark: string;
    readonly ending: Ending;
    readonly tools: { close(): Promise<unknown> } | undefined;
  },
): Promise<{ exit: TreeExit; byItself: boolean }> {
  const { politeSignal } = agent;
  const byItself = await Promise.race([tree.exited.then(() => true), ending.requested.then(() => false)]);
  // Nothing is done in the name of an attempt that is being ended.
  await tools?.close();
  // Processes left behind by an agent that exited unasked belong to no one: they are killed without a polite signal.
  const ended = endTree({ child: tree, mark, politeSignal, kill: byItself || ending.reason === 'killed' });
  const hurry = ending.escalated.then(() => endTree({ child: tree, mark, politeSignal, kill: true }));
  await Promise.race([ended, hurry]);
  return { exit: await tree.exited, byItself };
}
