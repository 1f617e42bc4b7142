import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, describe, expect, test } from 'vitest';
import type { Gateway } from '../../../../lib/local/gateway/gateway.ts';
import { closeGateways, echoAll, gatewayWith, raw } from './gateway-under-test.ts';

afterEach(closeGateways);

async function eventOf(gateway: Gateway, path: string, init?: RequestInit): Promise<APIGatewayProxyEvent> {
  const response = await fetch(gateway.url + path, init);
  return (await response.json()) as APIGatewayProxyEvent;
}

describe('resources', () => {
  test.each([
    ['GET', '/api/v1/things/search', 'things.search'],
    ['GET', '/api/v1/things/42', 'things.read'],
    ['PATCH', '/api/v1/things/42', 'things.patch'],
    ['POST', '/api/v1/things', 'things.create'],
    ['GET', '/api/v1/things/42/parts/7', 'parts.read'],
    // A static resource hides the parameter beside it, for all methods.
    ['PATCH', '/api/v1/things/search', 'not-found.answer'],
    ['DELETE', '/api/v1/things/42', 'not-found.answer'],
    ['OPTIONS', '/api/v1/things', 'not-found.answer'],
    ['GET', '/api/v1/things/', 'not-found.answer'],
    ['GET', '/api/v1/nothing', 'not-found.answer'],
    ['GET', '/', 'not-found.answer'],
  ])('%s %s is routed to %s', async (method, path, id) => {
    const gateway = await gatewayWith({});
    const response = await fetch(gateway.url + path, { method });
    expect(await response.text()).toBe(id);
  });

  test('the event names the resource, and has its parameters as the client encoded them', async () => {
    const gateway = await gatewayWith(echoAll);
    const event = await eventOf(gateway, '/api/v1/things/a%2Fb%20%C3%BC/parts/x+y');
    expect(event.resource).toBe('/api/v1/things/{id}/parts/{name}');
    expect(event.pathParameters).toEqual({ id: 'a%2Fb%20%C3%BC', name: 'x+y' });
    expect(event.path).toBe('/api/v1/things/a%2Fb%20%C3%BC/parts/x+y');
    expect(event.requestContext).toMatchObject({ resourcePath: event.resource, httpMethod: 'GET', stage: 'local' });
    expect(event.requestContext.identity.sourceIp).toBe('127.0.0.1');
  });
});

describe('queries, headers and bodies', () => {
  test('a query with repeated names keeps all values, and the last one alone', async () => {
    const gateway = await gatewayWith(echoAll);
    const event = await eventOf(gateway, '/api/v1/things/1?a=1&a=two%20words&b=x+y&c');
    expect(event.multiValueQueryStringParameters).toEqual({ a: ['1', 'two words'], b: ['x y'], c: [''] });
    expect(event.queryStringParameters).toEqual({ a: 'two words', b: 'x y', c: '' });
  });

  test('headers keep the case as sent, and repeated ones all values', async () => {
    const gateway = await gatewayWith(echoAll);
    const { host } = new URL(gateway.url);
    const lines = [
      'GET /api/v1/things/1 HTTP/1.1',
      `Host: ${host}`,
      'X-Some-Thing: 1',
      'x-some-thing: 2',
      'Connection: close',
    ];
    const answer = await raw(gateway, `${lines.join('\r\n')}\r\n\r\n`);
    const event = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as APIGatewayProxyEvent;
    expect(event.multiValueHeaders).toMatchObject({ 'X-Some-Thing': ['1', '2'], Host: [host] });
    expect(event.headers).toEqual({ 'X-Some-Thing': '2', Host: host, Connection: 'close' });
  });

  test('a body in UTF-8 is text, byte order mark and all', async () => {
    const gateway = await gatewayWith(echoAll);
    const event = await eventOf(gateway, '/api/v1/things', { method: 'POST', body: '\ufeff{"a":"ü😀\u0000"}' });
    expect([event.body, event.isBase64Encoded]).toEqual(['\ufeff{"a":"ü😀\u0000"}', false]);
  });
});
