import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AGENT_DEFINITIONS, OPTIONAL_AGENTS } from '../../lib/contract/agents.ts';
import { MAX_SLOT_ACCOUNTS } from '../../lib/platform/config/worker-size.ts';
import { accountOf, fetcherOf } from '../../worker-container/service-accounts/service-account.ts';

const dockerfile = readFileSync(new URL('../../worker-container/Dockerfile', import.meta.url), 'utf8');

test.each([1_000, MAX_SLOT_ACCOUNTS])(
  'the image has an account for logins, and one each for the jobs and the fetches of %d slots, as the worker numbers them',
  (slots) => {
    const first = Number(/^ENV PROMPTQ_SLOT_UID=(\d+)/m.exec(dockerfile)?.[1]);
    const etc = mkdtempSync(join(tmpdir(), 'promptq-etc-'));
    onTestFinished(() => rmSync(etc, { recursive: true }));
    const groupadd = join(etc, 'groupadd');
    writeFileSync(groupadd, `#!/bin/sh\necho "$3:$2" >> ${etc}/group\n`, { mode: 0o755 });
    const script = /^RUN (groupadd[\s\S]*?done) \\\n && usermod/m.exec(dockerfile)?.[1];
    execFileSync('sh', ['-c', script?.replaceAll('/etc', etc) ?? 'exit 1'], {
      env: { PATH: `${etc}:${process.env.PATH}`, PROMPTQ_SLOT_UID: String(first), SLOT_ACCOUNTS: String(slots) },
    });
    const numbers = Array.from({ length: slots }, (_, at) => at + 1);
    const fetcherGroup = fetcherOf(accountOf(first, 1)).gid;
    const expected = numbers.flatMap((number) => {
      const slot = accountOf(first, number);
      return [
        `promptq-${number}:x:${slot.uid}:${slot.gid}`,
        `promptq-fetch-${number}:x:${fetcherOf(slot).uid}:${fetcherGroup}`,
      ];
    });
    const lines = readFileSync(join(etc, 'passwd'), 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(
      [`promptq-0:x:${first}:${first}`, ...expected].map((line) => `${line}::/nonexistent:/usr/sbin/nologin`),
    );
    const shadow = readFileSync(join(etc, 'shadow'), 'utf8').trimEnd().split('\n');
    expect(shadow).toEqual(lines.map((line) => `${line.split(':')[0]}:!:::::::`));
    const groups = readFileSync(join(etc, 'group'), 'utf8').trimEnd().split('\n');
    expect(groups).toEqual([`promptq:${first}`, `promptq-fetch:${fetcherGroup}`]);
    expect(dockerfile).toMatch(/PROMPTQ_SLOT_ACCOUNTS=\$SLOT_ACCOUNTS$/m);
    expect(dockerfile).toMatch(/^USER root$/m);
  },
);

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
