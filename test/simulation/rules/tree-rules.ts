import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { rootOf, type Tree } from '../../../lib/jobs/trees/tree-store.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';

/** Descendants of one root in a world, so few that trees get full. */
export const TREE_LIMIT = 6;

/** No tree grows beyond its limit, or after it was cancelled, and nothing of it starts after that was answered. */
export class TreeRules {
  readonly #deployment: ModelDeployment;
  /** Descendants that a request has ended, each with its round then. */
  readonly #ended = new Map<string, number>();

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /** A client asks to end a job with its descendants. @returns to be called once that is answered */
  asked(top: string): () => void {
    const rounds = new Map(this.#deployment.allJobs().map(({ id, round = 0 }) => [id, round]));
    return () => {
      const isBelow = ({ ancestors }: Job) => ancestors?.some(({ id }) => id === top);
      // A person may have retried some of them meanwhile.
      for (const { id } of this.#deployment.allJobs().filter(isBelow)) this.#ended.set(id, rounds.get(id) ?? 0);
      this.#deployment.tellEvent('tree cancelled');
    };
  }

  /** What is wrong with a write; undefined: nothing. */
  faultOf(before: Job | undefined, after: Job): string | undefined {
    const { ancestors, round = 0 } = after;
    if (ancestors === undefined) return undefined;
    if (before === undefined) {
      const { stopped, members } = this.#treeOf(rootOf(after));
      if (ancestors.some((one) => one.round <= (stopped[one.id] ?? -1))) return 'it was created in a cancelled tree';
      if (members.length >= TREE_LIMIT && !members.includes(after.id)) return 'it was created in a full tree';
    }
    if (after.status === 'RUNNING' && before?.status === 'QUEUED' && round <= (this.#ended.get(after.id) ?? -1))
      return 'it started after its tree was cancelled';
    return undefined;
  }

  /** Whether a job may have been refused further children. */
  refuses(parent: Job): boolean {
    const { members, stopped } = this.#treeOf(rootOf(parent));
    const isStopped = [parent, ...(parent.ancestors ?? [])].some(({ id }) => stopped[id] !== undefined);
    if (isStopped) this.#deployment.tellEvent('follow-up refused in a cancelled tree');
    else if (members.length >= TREE_LIMIT) this.#deployment.tellEvent('follow-up refused in a full tree');
    return isStopped || members.length >= TREE_LIMIT;
  }

  /** What is wrong with the trees once everything has come to rest. */
  faultsAtRest(jobs: readonly Job[]): string[] {
    const descendants = jobs.filter(({ ancestors }) => ancestors !== undefined);
    return [...Map.groupBy(descendants, rootOf)].flatMap(([root, below]) => {
      const { members } = this.#treeOf(root);
      const isWhole = below.length === members.length && below.every(({ id }) => members.includes(id));
      return isWhole ? [] : [`the tree of ${this.#deployment.nameOf(root)} has other members than its record`];
    });
  }

  #treeOf(root: string): Tree {
    const item = this.#deployment.registry.get({ kind: `tree#${root}`, id: 'tree' }, true);
    return (item as Tree | undefined) ?? { members: [], stopped: {}, version: 0 };
  }
}
