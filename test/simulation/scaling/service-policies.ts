import type { Policy, Task, World } from './world.ts';

/** Seconds after which SQS's metrics of a minute can be seen (they are published once a minute). */
const METRIC_DELAY = 60;

/** The maximum of them that the alarms evaluate. */
const MINUTES = 15;

/**
 * What both services have in common: a number of tasks that is kept, whether they are busy or not, and measurements of the
 * queue, one a minute.
 */
abstract class Service {
  protected desired = 0;
  /** Messages that waited at the end of each of the last minutes. */
  protected readonly visible: number[] = [];
  #spotOwed = 0;

  abstract decide(world: World): void;

  everyMinute(world: World): void {
    const { visible } = world;
    world.after(METRIC_DELAY, () => {
      this.visible.push(visible);
      if (this.visible.length > MINUTES) this.visible.shift();
      this.decide(world);
      this.#keep(world);
    });
    this.#keep(world);
  }

  onLoss(world: World): void {
    this.#keep(world);
  }

  /** ECS starts what is missing, and ends what is too much whether it is busy or not. */
  #keep(world: World): void {
    const kept = world.tasks.filter(({ leaving }) => leaving !== 'stopped');
    for (let missing = this.desired - kept.length; missing > 0; missing -= 1) {
      this.#spotOwed += world.trace.spotWeight;
      const spot = this.#spotOwed >= 100;
      if (spot) this.#spotOwed -= 100;
      // A capacity provider's strategy does not fall back: what is to be on Spot waits for it.
      if (!(spot && world.spotIsShort)) world.launch(spot);
    }
    const surplus = kept.length - this.desired;
    for (let n = 0; n < surplus; n += 1) {
      const victim = kept.splice(Math.floor(kept.length * world.random.next()), 1)[0] as Task;
      world.stop(victim, 'policy');
    }
  }
}

/**
 * (a) An ECS service with target tracking on the queue: one waiting message for each task, as near to a task for each
 * job as the metric allows. The alarms that target tracking makes: three minutes above the target, fifteen below nine
 * tenths of it. Out: in proportion, a minute between two steps; in: AWS says "more gradually", taken as half every five
 * minutes. From zero it is given what a division by zero tasks would not give it.
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-autoscaling-targettracking.html https://fortem.dev/blog/ecs-fargate-autoscaling/
 */
export class TargetTracking extends Service implements Policy {
  readonly name = '(a) target tracking';
  #inAt = Number.NEGATIVE_INFINITY;

  decide(world: World): void {
    const perTask = this.visible.map((visible) => visible / Math.max(1, this.desired));
    const lately = (minutes: number) => (perTask.length < minutes ? [] : perTask.slice(-minutes));
    const isHigh = lately(3).length > 0 && lately(3).every((value) => value > 1);
    const isLow = lately(15).length > 0 && lately(15).every((value) => value < 0.9);
    if (isHigh) {
      const wanted = Math.ceil(Math.max(1, this.desired) * (perTask.at(-1) ?? 0));
      this.desired = Math.min(world.maxWorkers, Math.max(this.desired + 1, wanted));
    } else if (isHighFromZero(this.desired, this.visible)) {
      this.desired = 1;
    } else if (isLow && this.desired > 0 && world.now - this.#inAt >= 300) {
      this.desired = Math.floor(this.desired / 2);
      this.#inAt = world.now;
    }
  }
}

/** A single message is not above a target of one: a service at zero is given a task for it after the same three minutes. */
function isHighFromZero(desired: number, visible: readonly number[]): boolean {
  return desired === 0 && visible.length >= 3 && visible.slice(-3).every((value) => value > 0);
}

/**
 * (b) The CDK's QueueProcessingFargateService with its defaults, from its own template: one more task from 100 waiting
 * messages on, five more from 500 on, one less at none; the highest value of five minutes, five minutes between two
 * steps. The least is zero tasks, the most as many as the others have. Its CPU target is left out: it would only end more.
 */
export class StepScaling extends Service implements Policy {
  readonly name = '(b) QueueProcessing';
  #outAt = Number.NEGATIVE_INFINITY;
  #inAt = Number.NEGATIVE_INFINITY;

  decide(world: World): void {
    const most = Math.max(0, ...this.visible.slice(-5));
    if (most >= 100 && world.now - this.#outAt >= 300) {
      this.desired = Math.min(world.maxWorkers, this.desired + (most >= 500 ? 5 : 1));
      this.#outAt = world.now;
    } else if (most === 0 && this.visible.length >= 5 && world.now - this.#inAt >= 300) {
      this.desired = Math.max(0, this.desired - 1);
      this.#inAt = world.now;
    }
  }
}
