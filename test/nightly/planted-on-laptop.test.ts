import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { hunt } from '../api/access/planted/hunt.ts';

/** What a job on a laptop can reach according to SECURITY.md. */
async function reachableOnLaptop(): Promise<string[]> {
  const text = await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  const list = /On a laptop agents run as you[^:]*:\n((?: {2}- .*\n)+)/.exec(text)?.[1] ?? '';
  return [...list.matchAll(/- (.*)\n/g)].map(([, item = '']) => item);
}

describe('on a laptop, where agents run as its user', () => {
  let found: string[];
  beforeAll(async () => {
    found = await hunt({}, undefined);
  });

  test('a job finds what SECURITY.md lists, and nothing else', async () => {
    expect(found.toSorted()).toEqual((await reachableOnLaptop()).toSorted());
  });
});
