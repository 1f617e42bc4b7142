import { describe, expect, it } from 'vitest';
import { isPublicAddress, isReachable } from '../../../lib/bindings/public-address.ts';
import { checkTarget } from '../../../lib/bindings/target-url.ts';

const FORBIDDEN = {
  loopback: ['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12::1', '::ffff:10.0.0.1'],
  'link-local, with the metadata of clouds': [
    '169.254.169.254',
    '169.254.170.2',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
  ],
  'shared by a carrier, with the metadata of others': ['100.64.0.1', '100.100.100.200', '192.0.0.192'],
  'nobody in particular': ['0.0.0.0', '::', '255.255.255.255', '224.0.0.1', 'ff02::1', '240.0.0.1'],
  'for documents and measuring': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', '100::1'],
  'not assigned yet': ['4000::1', 'e000::1'],
  'a way to IPv4': ['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::', '2001::1', '64:ff9b:1::1'],
  'no address': ['', 'localhost', '1.2.3', '1.2.3.4.5', '0x7f.1'],
};

describe('an address that is', () => {
  it.each(Object.entries(FORBIDDEN))('%s is not public', (_what, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it('of the internet is public', () => {
    const all = ['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1'];
    expect(all.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it('loopback is accessible where it is allowed, and no other address that is not public', () => {
    const reached = Object.values(FORBIDDEN)
      .flat()
      .filter((address) => isReachable(address, { loopback: true }));
    expect(reached).toEqual(['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1']);
  });
});

describe('the address of a call', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:8443/hook?a=b',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
  ])('may be %s', (url) => {
    expect(checkTarget(url, { loopback: false })).toBeUndefined();
  });

  it.each([
    ['http://example.com/', 'https'],
    ['http://127.0.0.1/', 'https'],
    ['https://127.0.0.1/', 'public'],
    ['https://2130706433/', 'public'],
    ['https://0x7f.1/', 'public'],
    ['https://[::ffff:10.0.0.1]/', 'public'],
    ['https://[::1]/', 'public'],
    ['https://user@example.com/', 'user name'],
    ['file:///etc/passwd', 'https'],
    ['example.com', 'no URL'],
  ])('may not be %s', (url, why) => {
    expect(checkTarget(url, { loopback: false })).toContain(why);
  });

  it('without TLS may only be this machine, where it is allowed', () => {
    const reach = { loopback: true };
    expect(checkTarget('http://127.0.0.1:1/', reach)).toBeUndefined();
    expect(checkTarget('http://localhost:1/', reach)).toBeUndefined();
    expect(checkTarget('http://example.com/', reach)).toContain('https');
    expect(checkTarget('http://10.0.0.1/', reach)).toContain('https');
  });
});
