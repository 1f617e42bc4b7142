import { expect, it } from 'vitest';
import { apiEnv } from '../../../../lib/platform/config/api-env.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';

const NEEDED = {
  JOBS_TABLE: 'jobs',
  REGISTRY_TABLE: 'registry',
  OUTPUT_BUCKET: 'output',
  QUEUE_URL_HIGH: 'http://q/h',
  QUEUE_URL_NORMAL: 'http://q/n',
  QUEUE_URL_LOW: 'http://q/l',
  QUEUE_URL_DELIVERIES: 'http://q/d',
  PROMPTQ_TIMEOUT_UNIT: 'seconds',
};
const read = (more: Record<string, string>) => readEnv(apiEnv, { ...NEEDED, ...more });

it('has the sources from which the perimeter token is valid', () => {
  const { PROMPTQ_PERIMETER_SOURCES } = read({ PROMPTQ_PERIMETER_SOURCES: '203.0.113.0/24,2001:db8::/32' });
  expect(PROMPTQ_PERIMETER_SOURCES).toEqual(['203.0.113.0/24', '2001:db8::/32']);
});

it.each([
  ['PROMPTQ_PERIMETER_SOURCES', '203.0.113.7'],
  ['PROMPTQ_TELEGRAM_USERS', '171717'],
  ['PROMPTQ_TELEGRAM_USERS', 'ada:viewer'],
  ['PROMPTQ_SECRETS', '/folder'],
  ['PROMPTQ_PUBLIC_ORIGIN', 'no-address'],
  ['PROMPTQ_PUBLIC_ORIGIN', 'http://promptq.example.com'],
  ['PROMPTQ_PUBLIC_ORIGIN', 'https://promptq.example.com/path'],
  ['PROMPTQ_PUBLIC_ORIGIN', 'https://Promptq.example.com'],
])('%s=%s is a fault that names the variable and not the value', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
  expect(() => read({ [name]: value })).not.toThrow(value);
});
