import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ScalingStore } from '../../../lib/workers/scaling/scaling-store.ts';
import { BuildCheck } from '../../../worker-container/pool/build-check.ts';
import { readTaskIdentity } from '../../../worker-container/pool/task-identity.ts';

describe('the build of a task', () => {
  /** ECS's answers, one after the other, and where it gives them. */
  async function startEcs(...answers: readonly (object | number)[]) {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(url);
      if (typeof answer === 'number') return response.writeHead(answer).end();
      return response.end(JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { asked, metadataUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v4` };
  }
  const TASK = { TaskARN: 'arn:aws:ecs:eu-central-1:123456789012:task/cluster/0123abcd', Family: 'w', Revision: '7' };

  function check(metadataUri: string | undefined, wanted: string | undefined) {
    let reads = 0;
    const scaling = {
      readState: async () => {
        reads += 1;
        return { wanted };
      },
    } as unknown as Pick<ScalingStore, 'readState'>;
    return { build: new BuildCheck({ metadataUri, scaling, log: { warn: () => undefined } }), reads: () => reads };
  }

  it('is outdated if another one is wanted, and only then', async () => {
    for (const [wanted, isOutdated] of [
      ['w:8', true],
      ['w:7', false],
      [undefined, false],
    ] as const) {
      const { metadataUri } = await startEcs(TASK);
      expect(await check(metadataUri, wanted).build.isOutdated()).toBe(isOutdated);
    }
  });

  it('is asked for until ECS answers, at most every quarter of a minute', async () => {
    const { metadataUri, asked } = await startEcs(503, TASK);
    const { build, reads } = check(metadataUri, 'w:8');
    await build.readTask();
    expect(build.task).toBeUndefined();
    expect(await build.isOutdated()).toBe(true);
    expect(build.task).toEqual({ task: '0123abcd', build: 'w:7' });
    expect(await build.isOutdated()).toBe(false);
    expect([asked, reads()]).toEqual([['/v4/task', '/v4/task'], 1]);
  });

  it('is unknown outside of ECS, where nothing is outdated', async () => {
    const { build, reads } = check(undefined, 'w:8');
    expect([await build.isOutdated(), build.task, reads()]).toEqual([false, undefined, 0]);
    expect(await readTaskIdentity(undefined)).toBeUndefined();
  });
});
