import { expect, it } from 'vitest';
import type * as z from 'zod';
import * as fields from '../../../../lib/platform/config/env-fields.ts';

/** What a field makes of a variable; `refused` if it is not allowed. */
function read(field: z.ZodType, value: string | undefined): unknown {
  const result = field.safeParse(value);
  return result.success ? result.data : 'refused';
}

it.each<[string, z.ZodType, string | undefined, unknown]>([
  ['a flag', fields.flag, undefined, false],
  ['a flag', fields.flag, '', false],
  ['a flag', fields.flag, '0', false],
  ['a flag', fields.flag, '1', true],
  ['a flag', fields.flag, 'yes', 'refused'],
  ['a flag that is on', fields.onFlag, undefined, true],
  ['a flag that is on', fields.onFlag, '', true],
  ['a flag that is on', fields.onFlag, '1', true],
  ['a flag that is on', fields.onFlag, '0', false],
  ['a whole number', fields.wholeNumber(5, 2, 9), undefined, 5],
  ['a whole number', fields.wholeNumber(5, 2, 9), '2', 2],
  ['a whole number', fields.wholeNumber(5, 2, 9), '9', 9],
  ['a whole number', fields.wholeNumber(5, 2, 9), '1', 'refused'],
  ['a whole number', fields.wholeNumber(5, 2, 9), '10', 'refused'],
  ['a whole number', fields.wholeNumber(5, 2, 9), '2.5', 'refused'],
  ['a list of seconds', fields.secondsList, undefined, [5, 60, 300, 1_800, 7_200, 21_600, 32_400]],
  ['a list of seconds', fields.secondsList, '0.5,99999', [0.5, 99_999]],
  ['a list of seconds', fields.secondsList, '100000', 'refused'],
  ['a list of seconds', fields.secondsList, '1,', 'refused'],
  ['folders', fields.folderList, undefined, []],
  ['folders', fields.folderList, '/a::/b:', ['/a', '/b']],
  ['address ranges', fields.rangeList, undefined, []],
  ['address ranges', fields.rangeList, '203.0.113.0/24,,2001:db8::/32', ['203.0.113.0/24', '2001:db8::/32']],
  ['address ranges', fields.rangeList, '203.0.113.0/24,203.0.113.7', 'refused'],
  ['digests', fields.digestList, undefined, []],
  ['digests', fields.digestList, `${'a'.repeat(64)},${'0'.repeat(64)},`, ['a'.repeat(64), '0'.repeat(64)]],
  ['digests', fields.digestList, 'a'.repeat(63), 'refused'],
  ['digests', fields.digestList, 'A'.repeat(64), 'refused'],
  ['an address', fields.httpsOrLoopback, 'https://a.example/path', 'https://a.example/path'],
  ['an address', fields.httpsOrLoopback, 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['an address', fields.httpsOrLoopback, 'http://[::1]/', 'http://[::1]/'],
  ['an address', fields.httpsOrLoopback, 'http://promptq-1.localhost:80/', 'http://promptq-1.localhost:80/'],
  ['an address', fields.httpsOrLoopback, 'http://127.0.0.1.example.com', 'refused'],
  ['an address', fields.httpsOrLoopback, 'http://a.example', 'refused'],
  ['an address', fields.httpsOrLoopback, 'a.example', 'refused'],
  ['an origin', fields.publicOrigin, 'https://a.example', 'https://a.example'],
  ['an origin', fields.publicOrigin, 'a.example', 'refused'],
  ['an origin', fields.publicOrigin, 'https://a.example/', 'refused'],
  ['an origin', fields.publicOrigin, 'https://A.example', 'refused'],
  ['a place', fields.place, 'ssm:/name', 'ssm:/name'],
  ['a place', fields.place, 'file:/path', 'file:/path'],
  ['a place', fields.place, '/path', 'refused'],
  ['vendors', fields.vendorList, undefined, ['codex']],
  ['vendors', fields.vendorList, 'none', []],
  ['vendors', fields.vendorList, 'codex', ['codex']],
  ['vendors', fields.vendorList, 'other', 'refused'],
  ['agents', fields.agentList, 'none', ['shell']],
  ['agents', fields.agentList, 'claude', ['shell', 'claude']],
  ['agents', fields.agentList, 'other', 'refused'],
  ['sandboxes', fields.sandboxList, undefined, ['none', 'workspace-write', 'read-only']],
  ['sandboxes', fields.sandboxList, 'none,read-only', ['none', 'read-only']],
  ['sandboxes', fields.sandboxList, 'all', 'refused'],
])('%s: %s %s is %o', (_, field, value, expected) => {
  const found = read(field, value);
  if (Array.isArray(expected)) expect((found as unknown[]).toSorted()).toEqual(expected.toSorted());
  else expect(found).toEqual(expected);
});
