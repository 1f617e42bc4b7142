import { describe, expect, it } from 'vitest';
import { addressFault, allowedProtocols } from '../../../lib/projects/repository-address.ts';

const CLOUD = { loopback: false };
const LOCAL = { loopback: true };

describe('the address of a repository', () => {
  it.for(['https://git.example.com/team/app.git', 'https://git.example.com:8443/app'])('%s is accepted', (address) => {
    expect(addressFault(address, CLOUD)).toBeUndefined();
  });

  it.for([
    ['https://user:secret@git.example.com/app', 'credentials'],
    ['https://:secret@git.example.com/app', 'credentials'],
    ['https://token@git.example.com/app', 'credentials'],
    ['https://git.example.com/app?token=secret', 'query'],
    ['https://git.example.com/app#main', 'fragment'],
    ['https://git.example.com/', 'not only a host'],
    ['https:/git.example.com/app', 'written https://HOST/PATH'],
    ['https://git.example.com\\@other.example.com/app', 'written https://HOST/PATH'],
    ['https://git.example.com/ä', 'ASCII'],
    ['git.example.com/app', 'https address is needed'],
    ['http://git.example.com/app', 'only https'],
    ['http://127.0.0.1:8080/app', 'only https'],
    ['ssh://git.example.com/app', 'only https'],
    ['ext::sh -c x', 'ASCII'],
    ['file:///etc/passwd', 'only a local run takes a folder'],
    ['/etc/passwd', 'only a local run takes a folder'],
    ['file://server/etc', 'only https'],
  ] as const)('%s is refused', ([address, why]) => {
    expect(addressFault(address, CLOUD)).toContain(why);
  });

  it('may be that of a server without TLS on the machine of a local run, and of no other', () => {
    for (const address of ['http://127.0.0.1:8080/app', 'git://localhost/app', 'http://[::1]/app'])
      expect(addressFault(address, LOCAL)).toBeUndefined();
    for (const address of ['http://git.example.com/app', 'http://127.0.0.2/app', 'ssh://127.0.0.1/app'])
      expect(addressFault(address, LOCAL)).toContain('only https');
  });
});

it('may be a folder of the machine of a local run, below one that its user has opened', () => {
  const rules = { ...LOCAL, roots: ['/home/me/app', '/tmp'] };
  for (const address of ['/home/me/app', '/home/me/app/sub', 'file:///home/me/app', '/tmp/ä b'])
    expect(addressFault(address, rules)).toBeUndefined();
  for (const address of ['/home/me/application', '/home/me', 'file:///home/me/other', 'file:///tmp/%2e%2e/etc'])
    expect(addressFault(address, rules)).toContain('must lie under one of /home/me/app, /tmp; start the service with');
  for (const address of ['/home/me/app/../other', '/tmp/./a', '/tmp/a\u0007'])
    expect(addressFault(address, rules)).toContain('written /PATH');
});

it('git may use the transports of the addresses that are allowed, and no other', () => {
  expect([allowedProtocols(CLOUD), allowedProtocols(LOCAL)]).toEqual(['https', 'https:http:git']);
});
