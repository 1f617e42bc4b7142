import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { ROOT } from './documents.ts';

const { services, volumes } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true });
const { promptq } = services;

test('compose.yaml runs the first command of README with the tested Node', () => {
  expect(promptq.image).toBe(`node:${packageJson.devDependencies.node}-bookworm`);
  const command = /^npm ci && npm start/m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[0];
  expect(promptq.command).toBe(`sh -c '${command}'`);
  expect(promptq.volumes).toContain(`home:${promptq.environment.PROMPTQ_HOME}`);
  expect(Object.keys(volumes)).toEqual(['packages', 'home']);
});

test.each([
  ['the service', 0, services.forward, 8787],
  ['the sign-in', 1, services['forward-sign-in'], promptq.environment.PROMPTQ_SIGN_IN_PORT],
])(
  'compose.yaml publishes %s on loopback alone, by way of the address that it listens on',
  (_, at, forward, listens) => {
    const [host, outside, inside] = promptq.ports[at].split(':');
    expect([promptq.ports.length, host]).toEqual([2, '127.0.0.1']);
    expect(forward).toMatchObject({ network_mode: 'service:promptq' });
    // Requests must name the port that the service listens on.
    expect([outside, forward.command]).toEqual([
      String(listens),
      `TCP-LISTEN:${inside},fork,reuseaddr TCP:127.0.0.1:${outside}`,
    ]);
  },
);
