import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AGENT_DEFINITIONS, OPTIONAL_AGENTS } from '../../lib/contract/agents.ts';
import { SLOT_ACCOUNTS } from '../../lib/platform/config/worker-env.ts';
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

test.each(['codex claude', 'codex', ''])(
  'the image gets the CLIs of the agents "%s", each where the worker expects it',
  (agents) => {
    const script = /^RUN (cpu=[\s\S]*?done)$/m.exec(dockerfile)?.[1];
    const folder = mkdtempSync(join(tmpdir(), 'promptq-image-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const npm = join(folder, 'npm');
    writeFileSync(
      npm,
      `#!/bin/bash
    mkdir -p node_modules/@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/{bin,codex-resources/voice}
    touch node_modules/@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex
    mkdir -p node_modules/@anthropic-ai/claude-code-linux-arm64
    touch node_modules/@anthropic-ai/claude-code-linux-arm64/claude`,
      { mode: 0o755 },
    );
    execFileSync('sh', ['-c', script?.replaceAll('/clis', join(folder, 'clis')) ?? 'exit 1'], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}`, TARGETARCH: 'arm64', AGENTS: agents },
    });
    const files = readdirSync(join(folder, 'clis'), { recursive: true }).map((path) => `/opt/${path}`);
    expect(dockerfile).toContain('COPY --from=clis /clis /opt');
    for (const agent of OPTIONAL_AGENTS) {
      const variable = AGENT_DEFINITIONS[agent].binary;
      const expected = new RegExp(`${variable}=(\\S+)`).exec(dockerfile)?.[1];
      expect(files.includes(expected ?? 'none'), agent).toBe(agents.split(' ').includes(agent));
    }
    expect(files.filter((path) => path.includes('voice'))).toEqual([]);
  },
);
