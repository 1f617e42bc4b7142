import type { Band } from '../../../lib/platform/aws/tables.ts';
import { ENV } from '../model/environment.ts';
import type { Faults } from '../model/faults.ts';
import type { ModelObjects } from '../model/objects.ts';
import { ModelQueue } from '../model/queue.ts';
import type { Services } from '../model/services.ts';
import type { ModelTable } from '../model/table.ts';
import type { VirtualTime } from '../model/virtual-time.ts';
import type { SeededRandom } from '../seeded-random.ts';

const never = () => false;
/** Dead-letter queues are not subject to the worlds' faults. */
const HARMLESS = { loses: never, doubles: never, deliversTwice: never, reorders: never };

/** The queues of a world, and all its services by the names that the modules know. */
export function modelServices(
  { time, random, faults }: { time: VirtualTime; random: SeededRandom; faults: Faults },
  { jobs, registry, objects }: { jobs: ModelTable; registry: ModelTable; objects: ModelObjects },
): { readonly queues: Readonly<Record<Band, ModelQueue>>; readonly services: Services } {
  const limits = faults.queues;
  const deadLetters = () => new ModelQueue(time, random, HARMLESS);
  const [high, normal, low] = [deadLetters(), deadLetters(), deadLetters()];
  const queue = (dead: ModelQueue) => new ModelQueue(time, random, faults, { limits, deadLetters: dead });
  const queues = { high: queue(high), normal: queue(normal), low: queue(low) };
  const services = {
    tables: new Map([
      [ENV.JOBS_TABLE, jobs],
      [ENV.REGISTRY_TABLE, registry],
    ]),
    queues: new Map([
      [ENV.QUEUE_URL_HIGH, queues.high],
      [ENV.QUEUE_URL_NORMAL, queues.normal],
      [ENV.QUEUE_URL_LOW, queues.low],
      ['dead-high', high],
      ['dead-normal', normal],
      ['dead-low', low],
    ]),
    deadLetters: new Map([
      [ENV.QUEUE_URL_HIGH, 'dead-high'],
      [ENV.QUEUE_URL_NORMAL, 'dead-normal'],
      [ENV.QUEUE_URL_LOW, 'dead-low'],
    ]),
    objects,
  };
  return { queues, services };
}
