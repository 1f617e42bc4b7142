import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';
import { SignatureCheck } from '../../../../lib/local/run-access/signature-check.ts';

const NOW = Date.parse('2026-03-04T05:06:07Z');
const MINUTE_MS = 60_000;
const HOST = '127.0.0.1:8000';
const credentials = newRunCredentials();
const check = new SignatureCheck(credentials, ['s3']);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Signing {
  readonly at?: number;
  readonly key?: string;
  readonly secret?: string;
  readonly service?: string;
  readonly region?: string;
  readonly unsigned?: readonly string[];
  /** Seconds: a presigned URL. */
  readonly expiresIn?: number;
  readonly payload?: string;
}

/** A request as an emulator gets it. */
async function signed(options: Signing = {}): Promise<IncomingMessage> {
  const { at = NOW, key = credentials.accessKeyId, secret = credentials.secretAccessKey, service = 's3' } = options;
  const signer = new SignatureV4({
    credentials: { accessKeyId: key, secretAccessKey: secret },
    region: options.region ?? 'us-east-1',
    service,
    sha256: Hash.bind(null, 'sha256'),
    uriEscapePath: false,
  });
  const { expiresIn, payload = expiresIn === undefined ? undefined : 'UNSIGNED-PAYLOAD' } = options;
  const headers = { host: HOST, ...(payload !== undefined && { 'x-amz-content-sha256': payload }) };
  const request = { method: 'GET', protocol: 'http:', hostname: '127.0.0.1', path: '/bucket/key', headers };
  const unsignableHeaders = new Set(options.unsigned);
  const made =
    expiresIn === undefined
      ? await signer.sign(request, { signingDate: new Date(at), unsignableHeaders })
      : await signer.presign(request, { signingDate: new Date(at), expiresIn });
  const query = new URLSearchParams(made.query as Record<string, string> | undefined).toString();
  return received(`/bucket/key${query === '' ? '' : `?${query}`}`, made.headers);
}

const received = (url: string, headers: Record<string, string>) => {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { method: 'GET', url, headers: Object.fromEntries(lower), socket: { localPort: 8000 } } as IncomingMessage;
};
const codeOf = async (request: IncomingMessage, body?: Buffer) => (await check.refusalOf(request, body))?.code;
const withHeaders = (request: IncomingMessage, headers: Record<string, string>) =>
  received(request.url ?? '', { ...(request.headers as Record<string, string>), ...headers });
const withUrl = (request: IncomingMessage, from: RegExp | string, to: string) =>
  received((request.url ?? '').replace(from, to), request.headers as Record<string, string>);

test('what the run has signed is admitted, and each refusal has the code of AWS', async () => {
  const good = await signed();
  expect(await codeOf(good)).toBeUndefined();
  expect(await codeOf(received('/bucket/key', { host: HOST }))).toBe('AccessDenied');
  expect(await codeOf(await signed({ unsigned: ['host'] }))).toBe('AccessDenied');
  expect(await codeOf(await signed({ key: 'ANOTHER' }))).toBe('InvalidAccessKeyId');
  expect(await codeOf(await signed({ service: 'sqs' }))).toBe('InvalidAccessKeyId');
  expect(await codeOf(await signed({ secret: 'another' }))).toBe('SignatureDoesNotMatch');
  expect(await codeOf(withUrl(good, 'key', 'other'))).toBe('SignatureDoesNotMatch');
  for (const [name, value] of [
    ['origin', `http://${HOST}`],
    ['host', 'evil.example:8000'],
  ] as const) {
    const refusal = await check.refusalOf(withHeaders(good, { [name]: value }));
    expect([refusal?.code, refusal?.message]).toEqual(['AccessDenied', expect.stringContaining('no web page')]);
  }
});

test('a signature is current for a quarter of an hour, a presigned URL for its own time of a week at most', async () => {
  const quarter = 15 * MINUTE_MS;
  const week = 7 * 86_400;
  const cases = [
    [{ at: NOW - quarter }, undefined],
    [{ at: NOW - quarter - 1_000 }, 'RequestTimeTooSkewed'],
    [{ at: NOW + quarter }, undefined],
    [{ at: NOW + quarter + 1_000 }, 'RequestTimeTooSkewed'],
    [{ at: NOW - MINUTE_MS, expiresIn: 60 }, undefined],
    [{ at: NOW - MINUTE_MS - 1_000, expiresIn: 60 }, 'RequestTimeTooSkewed'],
    [{ at: NOW, expiresIn: week }, undefined],
    [{ at: NOW, expiresIn: 0 }, 'RequestTimeTooSkewed'],
  ] as const;
  const found = await Promise.all(cases.map(async ([options]) => await codeOf(await signed(options))));
  expect(found).toEqual(cases.map(([, code]) => code));
  const longest = await signed({ expiresIn: week });
  const expired = (text: string) => codeOf(withUrl(longest, 'X-Amz-Expires=604800', text));
  expect(await expired('X-Amz-Expires=604799')).toBe('SignatureDoesNotMatch');
  expect(await expired('X-Amz-Expires=604801')).toBe('RequestTimeTooSkewed');
  expect(await expired('X-Amz-Other=1')).toBe('RequestTimeTooSkewed');
});

test('a date that is none, or not of the day of the key, is no current one', async () => {
  const good = await signed();
  for (const date of ['20260304', '20260305T050607Z'])
    expect(await codeOf(withHeaders(good, { 'x-amz-date': date }))).toBe('RequestTimeTooSkewed');
});

test('a presigned URL counts only without another authorization, and with the algorithm that is checked', async () => {
  const url = await signed({ expiresIn: 60 });
  expect(await codeOf(url)).toBeUndefined();
  expect(await codeOf(withHeaders(url, { authorization: 'Bearer x' }))).toBe('AccessDenied');
  expect(await codeOf(withUrl(url, 'AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'))).toBe('AccessDenied');
});

test('a body that was read has the hash that was signed, unless none was', async () => {
  const body = Buffer.from('body');
  const hash = createHash('sha256').update(body).digest('hex');
  const cases = [
    [hash, body, undefined],
    [hash, Buffer.from('other'), 'SignatureDoesNotMatch'],
    [hash, undefined, undefined],
    ['UNSIGNED-PAYLOAD', body, undefined],
  ] as const;
  for (const [payload, read, code] of cases) expect(await codeOf(await signed({ payload }), read)).toBe(code);
  const { authorization, 'x-amz-date': date } = (await signed()).headers as Record<string, string>;
  const without = { host: HOST, authorization: authorization ?? '', 'x-amz-date': date ?? '' };
  expect(await codeOf(received('/bucket/key', without))).toBe('SignatureDoesNotMatch');
});

test('a signing key is derived once for each region, of which twenty are kept', async () => {
  let derived = 0;
  const counting = {
    accessKeyId: credentials.accessKeyId,
    get secretAccessKey() {
      derived += 1;
      return credentials.secretAccessKey;
    },
  };
  const counted = new SignatureCheck(counting, ['s3']);
  const ask = async (region: number) => {
    const before = derived;
    expect(await counted.refusalOf(await signed({ region: `r${region}` }))).toBeUndefined();
    return derived > before;
  };
  const regions = Array.from({ length: 20 }, (_, at) => at);
  for (const region of regions) expect(await ask(region)).toBe(true);
  for (const region of regions) expect(await ask(region)).toBe(false);
  expect([await ask(20), await ask(20), await ask(0)]).toEqual([true, false, true]);
});
