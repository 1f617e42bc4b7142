import type { Ending } from './ending.ts';
import { endTree, survivorsOf, type Tree, type TreeExit } from './process-tree.ts';

/** How an agent ended. */
export interface AgentEnd {
  /** Both members are null if the agent itself survived. */
  readonly exit: TreeExit;
  readonly byItself: boolean;
  /** The processes of its tree that could not be ended. */
  readonly survivors: readonly number[];
}

/** Resolves when the agent has ended and no process of its tree is alive, except for those that survive SIGKILL. */
export async function untilEnded(
  tree: Tree,
  {
    agent,
    mark,
    ending,
    tools,
    killTimeoutMs,
  }: {
    readonly agent: { readonly politeSignal: 'SIGINT' | 'SIGTERM' };
    readonly mark: string;
    readonly ending: Ending;
    readonly tools: { close(): Promise<unknown> } | undefined;
    /** Default: a minute. */
    readonly killTimeoutMs?: number | undefined;
  },
): Promise<AgentEnd> {
  const { politeSignal } = agent;
  const byItself = await Promise.race([tree.exited.then(() => true), ending.requested.then(() => false)]);
  // Nothing is done in the name of an attempt that is being ended.
  await tools?.close();
  // Processes left behind by an agent that exited unasked belong to no one: they are killed without a polite signal.
  const how = { child: tree, mark, politeSignal, killTimeoutMs };
  const ended = endTree({ ...how, kill: byItself || ending.reason === 'killed' });
  const hurry = ending.escalated.then(() => endTree({ ...how, kill: true }));
  const survivors = await survivorsOf(Promise.race([ended, hurry]));
  const exit = survivors.includes(tree.pid) ? { exitCode: null, signal: null } : await tree.exited;
  return { exit, byItself, survivors };
}
