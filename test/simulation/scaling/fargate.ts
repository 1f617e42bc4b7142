import { PRICES } from '../../../bench/cost/prices.ts';
import { workerSizeSchema } from '../../../lib/platform/config/worker-size.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** Of Fargate's own price, up to 70 % less. https://awsi.click/en/articles/ecs-fargate-cost-architecture/ */
const SPOT_SHARE = 0.3;

/** Fargate bills no less of a task. https://www.vantage.sh/blog/fargate-pricing */
const SHORTEST = 60;

/** The part of a start that is billed: the time from the pull of the image on, which is 76 % of it (AWS News Blog on SOCI). */
const BILLED_SHARE = 0.76;

/**
 * Seconds from the request to a container that runs: 30 for the fastest, 30 to 90 in general, 45 to 90 with large images.
 * https://www.vladionescu.me/posts/scaling-containers-on-aws-in-2022/ https://handbook.vantage.sh/aws/services/batch-pricing/
 */
export function startSeconds(random: SeededRandom): number {
  return 30 + 60 * random.next() ** 1.5;
}

/** Fargate starts 100 tasks at once and 20 a second from then on. https://docs.aws.amazon.com/AmazonECS/latest/developerguide/throttling.html */
export class LaunchRate {
  #tokens = 100;
  #at = 0;

  /** How many seconds a task that is launched now has to wait. */
  wait(now: number): number {
    this.#tokens = Math.min(100, this.#tokens + (now - this.#at) * 20) - 1;
    this.#at = now;
    return this.#tokens >= 0 ? 0 : -this.#tokens / 20;
  }
}

/** Dollars for a worker's task, with its public address, that took `start` seconds to start and was there for `life` seconds after that. */
export function taskPrice({ start, life, spot }: { start: number; life: number; spot: boolean }): number {
  const hours = Math.max(SHORTEST, BILLED_SHARE * start + life) / 3_600;
  const { vcpus, memoryGb } = workerSizeSchema.parse({});
  const { fargateArmCpu, fargateArmMemory, publicIpv4 } = PRICES;
  const hourly = vcpus * fargateArmCpu.usd + memoryGb * fargateArmMemory.usd;
  return hours * (hourly * (spot ? SPOT_SHARE : 1) + publicIpv4.usd);
}
