import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { callerAddress, isWithin } from '../../../lib/access/caller-address.ts';

const event = (headers: Record<string, string>, sourceIp = '192.0.2.1') =>
  ({ headers, requestContext: { identity: { sourceIp } } }) as unknown as APIGatewayProxyEvent;
const viewer = (text: string) => callerAddress(event({ 'X-Promptq-Viewer': text }), { behindCloudFront: true });

it('behind CloudFront it is what CloudFront says, in its shortest form', () => {
  expect(viewer('198.51.100.10')).toBe('198.51.100.10');
  expect(viewer('2001:db8:0:0:0:0:0:1')).toBe('2001:db8::1');
  expect(viewer('::ffff:198.51.100.10')).toBe('198.51.100.10');
  expect(viewer(' 198.51.100.10 ')).toBe('198.51.100.10');
  expect(viewer('nonsense')).toBeUndefined();
});

it('elsewhere the header is ignored: any client can send it', () => {
  const forged = event({ 'X-Promptq-Viewer': '198.51.100.10' });
  expect(callerAddress(forged, { behindCloudFront: false })).toBe('192.0.2.1');
  expect(callerAddress(event({}), { behindCloudFront: true })).toBe('192.0.2.1');
});

it('without a valid address there is none', () => {
  for (const sourceIp of ['', 'nonsense'])
    expect(callerAddress(event({}, sourceIp), { behindCloudFront: false })).toBe(undefined);
  expect(callerAddress(event({ 'X-Promptq-Viewer': '' }), { behindCloudFront: true })).toBe('192.0.2.1');
});

it.each([
  ['203.0.113.7', ['203.0.113.0/24'], true],
  ['203.0.114.7', ['203.0.113.0/24'], false],
  ['203.0.113.7', ['192.0.2.0/24', '203.0.113.7/32'], true],
  ['::ffff:203.0.113.7', ['203.0.113.0/24'], true],
  ['2001:db8::7', ['203.0.113.0/24', '2001:db8::/32'], true],
  ['2001:db9::7', ['203.0.113.0/24', '2001:db8::/32'], false],
  ['203.0.113.7', ['::/0'], false],
  ['203.0.113.7', [], false],
])('%s is within %j: %s', (address, ranges, isIn) => {
  expect(isWithin(address, ranges)).toBe(isIn);
});
