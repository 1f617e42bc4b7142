import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { callerAddress } from '../../../lib/access/caller-address.ts';

const event = (headers: Record<string, string>, sourceIp = '192.0.2.1') =>
  ({ headers, requestContext: { identity: { sourceIp } } }) as unknown as APIGatewayProxyEvent;
const viewer = (text: string) => callerAddress(event({ 'X-Promptq-Viewer': text }), { behindCloudFront: true });

it('behind CloudFront it is what CloudFront says, in its shortest form', () => {
  expect(viewer('198.51.100.10')).toBe('198.51.100.10');
  expect(viewer('2001:db8:0:0:0:0:0:1')).toBe('2001:db8::1');
  expect(viewer('::ffff:198.51.100.10')).toBe('198.51.100.10');
  expect(viewer('nonsense')).toBeUndefined();
});

it('elsewhere the header is ignored: any client can send it', () => {
  const forged = event({ 'X-Promptq-Viewer': '198.51.100.10' });
  expect(callerAddress(forged, { behindCloudFront: false })).toBe('192.0.2.1');
  expect(callerAddress(event({}), { behindCloudFront: true })).toBe('192.0.2.1');
});
