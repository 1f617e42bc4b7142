import type { EventView } from '../../contract/schemas/event.ts';
import type { Consumer } from '../../events/read-on.ts';
import { untilFirst } from '../../platform/until-first.ts';
import { type Automation, type Run, withEnds } from '../automation.ts';
import { decideStart } from '../decide-delivery.ts';
import { placeInChain } from '../events/event-chain.ts';
import { isBehind, passesTrigger } from '../events/event-trigger.ts';
import { type FireContext, finishFiring, jobsOf, ownerCanCreate, record } from '../fire-due.ts';

/*
 * Automations that events start. Each is a reader of the feed. What becomes of an event is decided as for a due instant:
 * by one conditional write of the automation, which holds the run, and that this event is decided. Events have one order,
 * so an event that the reader gets again, because a process died, is not decided again. The job has an id that follows
 * from automation and event; if the process dies before it is created, the minute's pass creates it.
 */

/** What handles the events of an automation; undefined: it is gone, or events do not start it. */
export async function openAutomation(context: FireContext, id: string): Promise<Consumer | undefined> {
  const opened = await context.automations.get(id);
  const { event: trigger } = opened ?? {};
  if (trigger === undefined) return undefined;
  return {
    passes: (event) => passesTrigger(trigger, event),
    take: async (event) => await startByEvent(context, id, event),
  };
}

async function startByEvent(context: FireContext, id: string, event: EventView): Promise<'taken'> {
  const chain = await placeInChain(context, id, event);
  return await untilFirst(async () => {
    const found = await context.automations.get(id);
    if (found === undefined) return { result: 'taken' as const };
    const known = await finishFiring(context, found);
    if (known === undefined) return undefined;
    if (!isToDecide(known, event)) return { result: 'taken' as const };
    const [jobs, ownerWorks] = [await jobsOf(context, known), await ownerCanCreate(context, known)];
    const automation: Automation = { ...withEnds(known, jobs), event_decided: event.id };
    const depth = typeof chain === 'object' ? chain.depth : 0;
    const run = { due: event.time, event: { view: event, depth } };
    const decision = decideStart(automation, run, { now: context.clock.now(), ownerWorks });
    const written = await record(
      context,
      known,
      typeof chain === 'object' ? decision : stopped(automation, decision.run, chain),
    );
    if (written === undefined) return undefined;
    await finishFiring(context, written);
    return { result: 'taken' as const };
  });
}

/** Whether an event is one that it acts on, and that is not decided. */
function isToDecide(automation: Automation, event: EventView): boolean {
  const { event: trigger, event_since: since = '', enabled, enabled_until: until, paused } = automation;
  if (trigger === undefined || !enabled || paused !== undefined) return false;
  if (event.time < since || (until !== undefined && until < event.time)) return false;
  return passesTrigger(trigger, event) && isBehind(event, automation.event_decided);
}

function stopped(automation: Automation, { job_id: _none, ...run }: Run, reason: 'circle' | 'too_deep') {
  return { automation, run: { ...run, outcome: 'skipped' as const, reason } };
}
