import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';
import type { HookTrigger, Refusal } from '../../contract/schemas/hook.ts';

/*
 * Proves that a delivery is from its sender, over the bytes of the body as they came. A signature that carries a time is
 * valid for a few minutes. That of GitHub and of `hmac` does not: there, the same body again is the same delivery.
 */

/** A request to a hook. Names of headers are in lower case. */
export interface Delivered {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Why the delivery is not accepted; undefined: it is from the sender. @param now milliseconds since 1970 */
export function verifyDelivery(
  verify: HookTrigger['verify'],
  secret: string,
  { headers, body }: Delivered,
  now: number,
): Extract<Refusal, 'signature' | 'timestamp'> | undefined {
  // An empty key would let everybody sign.
  if (secret === '') return 'signature';
  const given = (name: string | undefined) => (name === undefined ? '' : (headers[name] ?? ''));
  const isSecret = (name: string | undefined) => (isSame(given(name), secret) ? undefined : 'signature');
  switch (verify.style) {
    case 'standard_webhooks': {
      const [id, time] = [given('webhook-id'), given('webhook-timestamp')];
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      if (id === '' || key.length === 0) return 'signature';
      const wanted = `v1,${hmac(key, `${id}.${time}.`, body).toString('base64')}`;
      const isSigned = given('webhook-signature')
        .split(' ')
        .some((one) => isSame(one, wanted));
      return isSigned ? timeFault(time, now) : 'signature';
    }
    case 'slack': {
      const time = given('x-slack-request-timestamp');
      const wanted = `v0=${hmac(secret, `v0:${time}:`, body).toString('hex')}`;
      return isSame(given('x-slack-signature'), wanted) ? timeFault(time, now) : 'signature';
    }
    case 'github':
      return isSame(given('x-hub-signature-256'), `sha256=${hmac(secret, '', body).toString('hex')}`)
        ? undefined
        : 'signature';
    case 'hmac': {
      const { header, prefix = '', encoding = 'hex' } = verify;
      const text = given(header);
      const signature = text.startsWith(prefix) ? text.slice(prefix.length) : '';
      const wanted = hmac(secret, '', body).toString(encoding);
      return isSame(encoding === 'hex' ? signature.toLowerCase() : signature, wanted) ? undefined : 'signature';
    }
    case 'gitlab':
      return isSecret('x-gitlab-token');
    case 'header_secret':
      return isSecret(verify.header);
  }
}

/**
 * What tells a delivery from others of the same hook.
 * @param senderId the id that the sender gave it
 * @returns no key: nothing does, and each one counts
 */
export function keysOf({ style }: HookTrigger['verify'], senderId: string | undefined, body: Buffer): string[] {
  const isBodySigned = style === 'github' || style === 'hmac' || style === 'slack';
  const keys = [...(senderId === undefined ? [] : [`id ${senderId}`]), ...(isBodySigned ? ['body'] : [])];
  return keys.map((key) => {
    const hash = createHash('sha256').update(key);
    return (key === 'body' ? hash.update('\0').update(body) : hash).digest('hex');
  });
}

function hmac(key: string | Buffer, before: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(before).update(body).digest();
}

/** Compares in constant time, also texts of different lengths. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function timeFault(time: string, now: number): 'timestamp' | undefined {
  const isNear = Math.abs(Number(time) - now / 1000) <= LIMITS.hooks.toleranceSeconds;
  return /^\d{1,12}$/.test(time) && isNear ? undefined : 'timestamp';
}
