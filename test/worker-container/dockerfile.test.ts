import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SLOT_ACCOUNTS } from '../../lib/platform/config/env.ts';
import { fetcherOf } from '../../worker-container/service-accounts/service-account.ts';

const dockerfile = readFileSync(new URL('../../worker-container/Dockerfile', import.meta.url), 'utf8');

test('the image has an account for logins and one for each slot of all workers, and passes them to the worker', () => {
  const first = /^ENV PROMPTQ_SLOT_UID=(\d+)$/m.exec(dockerfile)?.[1];
  expect(Number(first)).toBeGreaterThanOrEqual(1_000);
  expect(dockerfile).toContain('groupadd --gid "$PROMPTQ_SLOT_UID" promptq');
  expect(dockerfile).toContain(`for slot in $(seq 0 ${SLOT_ACCOUNTS}); do`);
  expect(dockerfile).toContain('useradd --uid "$((PROMPTQ_SLOT_UID + slot))" --gid promptq');
  const fetcher = fetcherOf({ uid: 0, gid: 0, enderUid: 0 });
  expect(dockerfile).toContain(`groupadd --gid "$((PROMPTQ_SLOT_UID + ${fetcher.gid}))" promptq-fetch`);
  expect(dockerfile).toContain(`for slot in $(seq 1 ${SLOT_ACCOUNTS}); do`);
  expect(dockerfile).toContain(`useradd --uid "$((PROMPTQ_SLOT_UID + ${fetcher.uid} + slot))" --gid promptq-fetch`);
  expect(dockerfile).toMatch(/^USER root$/m);
});

test('the image begins with a base of an exact version, the Node of the tests, and of exact content', () => {
  const digest = '@sha256:[0-9a-f]{64}';
  expect(dockerfile).toMatch(new RegExp(`^ARG NODE_IMAGE=node:${process.versions.node}-[a-z]+-slim${digest}$`, 'm'));
  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as in the file
  expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}']));
});
