import { Logger } from '@aws-lambda-powertools/logger';
import * as z from 'zod';
import type { Registry } from '../../platform/registry.ts';
import { spreadProject } from './spread-project.ts';

const log = new Logger({ serviceName: 'promptq-counting' });

/**
 * A project is hot from so many new jobs a second on, as a mean of at least so many seconds: half of what one partition
 * of the ready index takes. A longer gap between two counts says nothing about a second.
 */
const HOT = { jobsPerSecond: 250, seconds: 5, longest: 60 } as const;

/** Projects that one process remembers: it forgets all when there are more, and notices a hot one later. */
const REMEMBERED = 1_000;

const figuresSchema = z.looseObject({ id: z.string(), active_at: z.string() });

/** How many jobs a project has had, and when, in milliseconds since 1970. */
interface Count {
  readonly at: number;
  readonly jobs: number;
}

/** Marks projects whose jobs are created too fast for one partition of the ready index. */
export class HotProjects {
  readonly #registry: Registry;
  readonly #counts = new Map<string, Count>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** @param figures a project's item of statistics, which counts the jobs of all shards of the stream */
  async note(figures: Readonly<Record<string, unknown>>): Promise<void> {
    const { data } = figuresSchema.safeParse(figures);
    if (data === undefined) return;
    const count = { at: Date.parse(data.active_at), jobs: jobsIn(data) };
    const known = this.#counts.get(data.id);
    const seconds = known === undefined ? Number.POSITIVE_INFINITY : (count.at - known.at) / 1000;
    if (seconds < HOT.seconds) return;
    if (this.#counts.size >= REMEMBERED) this.#counts.clear();
    this.#counts.set(data.id, count);
    const perSecond = (count.jobs - (known?.jobs ?? 0)) / seconds;
    if (seconds > HOT.longest || perSecond < HOT.jobsPerSecond) return;
    if (await spreadProject(this.#registry, data.id, data.active_at))
      log.info('a project is hot: its new jobs are spread over several partitions', { project_id: data.id, perSecond });
  }
}

/** The jobs of a project in any state. Removals lower it, which only makes a project look less hot. */
function jobsIn(figures: Readonly<Record<string, unknown>>): number {
  return Object.entries(figures).reduce((sum, [name, value]) => sum + (name.startsWith('n_') ? Number(value) : 0), 0);
}
