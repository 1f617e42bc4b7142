import { describe, expect, it } from 'vitest';
import { IdleShutdown } from '../../../worker-container/pool/idle-shutdown.ts';

interface Situation {
  idleFor?: number | undefined;
  idle?: number;
  isNeeded?: boolean;
  isKept?: boolean;
  outdated?: boolean;
  isEmpty?: boolean;
}

/** What a worker does at its first check in a situation, and after the second one, which ends its waiting. */
async function looked(situation: Situation, failing?: 'isNeeded' | 'isOutdated') {
  const calls: string[] = [];
  const draining = new AbortController();
  let looks = 0;
  const answer = async (call: 'isNeeded' | 'isKept' | 'lastPoll', value = false) => {
    calls.push(call);
    if (call === failing) throw new Error('DynamoDB is away');
    return value;
  };
  const shutdown = new IdleShutdown({
    idleFor: 'idleFor' in situation ? situation.idleFor : 60_000,
    idleSince: () => situation.idle ?? 60_000,
    isOutdated: async () => {
      looks += 1;
      if (looks === 2) draining.abort();
      if (failing === 'isOutdated' && looks === 1) throw new Error('DynamoDB is away');
      return looks === 1 && situation.outdated === true;
    },
    isKept: async () => await answer('isKept', situation.isKept),
    isNeeded: async () => await answer('isNeeded', situation.isNeeded),
    source: { lastPoll: async () => await answer('lastPoll', situation.isEmpty ?? true) },
    registration: {
      announceDraining: async (reason) => {
        calls.push(`announce ${reason}`);
        if (looks === 2) calls.pop();
      },
    },
    log: {
      info: (message: unknown) => void calls.push(String(message)),
      warn: () => void calls.push('warned'),
    } as never,
  });
  await shutdown.wait(draining.signal);
  return { calls, looks };
}

describe.concurrent('a worker', () => {
  it('that has been idle long enough announces it, looks once more for a job, and shuts down', async () => {
    expect(await looked({})).toEqual({
      calls: ['isKept', 'announce idle', 'isNeeded', 'lastPoll', 'idle; this worker shuts down'],
      looks: 1,
    });
  });

  it('stays if it worked a moment ago, if it never shuts down, and if the deployment keeps it', async () => {
    expect(await looked({ idle: 59_999 })).toEqual({ calls: [], looks: 2 });
    expect(await looked({ idleFor: undefined })).toEqual({ calls: [], looks: 2 });
    expect((await looked({ isKept: true })).calls).toEqual(['isKept', 'isKept']);
  });

  it('takes its announcement back if there is a job after all, or a login that needs it', async () => {
    const { calls } = await looked({ isEmpty: false });
    expect(calls.slice(0, 5)).toEqual(['isKept', 'announce idle', 'isNeeded', 'lastPoll', 'announce undefined']);
    const needed = await looked({ isNeeded: true });
    expect(needed.calls.slice(0, 4)).toEqual(['isKept', 'announce idle', 'isNeeded', 'announce undefined']);
  });

  it('takes its announcement back if it cannot find out, and stays', async () => {
    const { calls, looks } = await looked({}, 'isNeeded');
    expect(calls.slice(0, 5)).toEqual(['isKept', 'announce idle', 'isNeeded', 'announce undefined', 'warned']);
    expect(looks).toBe(2);
    expect((await looked({ idle: 0 }, 'isOutdated')).calls).toEqual(['warned']);
  });

  it('of another build than the wanted one announces that and takes no more jobs, however busy it is', async () => {
    const { calls, looks } = await looked({ outdated: true, idle: 0 });
    expect(calls).toEqual(['announce outdated', expect.stringContaining('another build is wanted')]);
    expect(looks).toBe(1);
  });

  it('that is asked to stop looks no further', async () => {
    const never = new IdleShutdown({ isOutdated: () => Promise.reject(new Error('it looked')) } as never);
    expect(await never.wait(AbortSignal.abort())).toBeUndefined();
  });

  it('that is asked to stop while it waits looks no further', async () => {
    let looks = 0;
    const isOutdated = async () => {
      looks += 1;
      return true;
    };
    const registration = { announceDraining: async () => undefined };
    const shutdown = new IdleShutdown({ isOutdated, registration, log: { info: () => undefined } } as never);
    const draining = new AbortController();
    const waiting = shutdown.wait(draining.signal);
    draining.abort();
    await waiting;
    expect(looks).toBe(0);
  });
});
