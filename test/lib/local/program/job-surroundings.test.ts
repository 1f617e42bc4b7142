import { expect, it } from 'vitest';
import { jobSurroundings } from '../../../../lib/local/program/job-surroundings.ts';
import { proxySecrets } from '../../../../lib/platform/config/surroundings.ts';

it('a start names the programs that jobs lack, and the proxies that they get', async () => {
  expect(await jobSurroundings({ PATH: '/nowhere', https_proxy: 'proxy:1', SSL_CERT_DIR: '' })).toEqual({
    missing: [
      'bash is not in /nowhere: no script and no command runs',
      'git is not in /nowhere: no job of a repository runs',
    ],
    network: ['https_proxy'],
  });
});

it.each([
  ['http://me:pass%40word@proxy:1', ['me:pass%40word', 'pass%40word', 'pass@word']],
  ['me:pass%word@proxy:1/', ['me:pass%word', 'pass%word', 'pass%word']],
  ['http://proxy:1/path@x:y', []],
  ['http://token@proxy:1', []],
])('the credentials of the proxy %s are %j', (ALL_PROXY, secrets) => {
  expect(proxySecrets({ ALL_PROXY })).toEqual(secrets);
});
