import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { apiOrigin, curlLine } from '../../../console/src/jobs/form/curl-line.ts';

test('a copied curl command sends the body unchanged, whatever shell syntax it contains', () => {
  const body = { prompt: `it's "$(date)" \`id\` $HOME \\ !x\nJSON\n'\nEOF`, rule_ids: ['a'], priority: 3 };
  // Replaces curl: prints its arguments and its input.
  const script = `curl() { printf '%s\\n' "$@"; printf -- '---\\n'; cat; }\n${curlLine('https://jobs.example.com', { method: 'POST', path: '/jobs', body })}`;
  const printed = execFileSync('bash', ['-c', script], { env: { PATH: '/usr/bin:/bin', PROMPTQ_TOKEN: 'pq_x' } });
  const [args = '', sent = ''] = printed.toString().split('---\n');
  expect(args.split('\n')).toEqual([
    '-sS',
    'https://jobs.example.com/api/v1/jobs',
    '-H',
    'Authorization: Bearer pq_x',
    '-H',
    'Content-Type: application/json',
    '--data-binary',
    '@-',
    '',
  ]);
  expect(JSON.parse(sent)).toEqual(body);
});

test('a copied curl command has the method and the query of its request', () => {
  const line = curlLine('https://jobs.example.com', { method: 'DELETE', path: "/rules/it's?a=1&b=2" });
  const script = `curl() { printf '%s\\n' "$@"; }\n${line}`;
  const printed = execFileSync('bash', ['-c', script], { env: { PATH: '/usr/bin:/bin', PROMPTQ_TOKEN: 'pq_x' } });
  expect(printed.toString().split('\n')).toEqual([
    '-sS',
    '-X',
    'DELETE',
    "https://jobs.example.com/api/v1/rules/it's?a=1&b=2",
    '-H',
    'Authorization: Bearer pq_x',
    '',
  ]);
});

test('the curl command uses the loopback address, not the host name that browsers of a local run use', () => {
  expect(apiOrigin(new URL('https://jobs.example.com'))).toBe('https://jobs.example.com');
  expect(apiOrigin(new URL('http://127.0.0.1:8787'))).toBe('http://127.0.0.1:8787');
  expect(apiOrigin(new URL('http://promptq-0a.localhost:8787'))).toBe('http://127.0.0.1:8787');
});
