import { expect, it } from 'vitest';
import { jobSurroundings } from '../../../../lib/local/program/job-surroundings.ts';
import { proxySecrets, userPath, withoutLoopback } from '../../../../lib/platform/config/surroundings.ts';

it('a start names the programs that its jobs lack, and what they get of the network', async () => {
  expect(await jobSurroundings({ PATH: '/nowhere', https_proxy: 'proxy:1', SSL_CERT_DIR: '' })).toEqual({
    missing: [
      'bash is not in /nowhere: no script and no command runs',
      'git is not in /nowhere: no job of a repository runs',
    ],
    network: ['https_proxy'],
  });
});

const AGENT = { npm_config_user_agent: 'npm/11.6.2 node/v24' };
it.each([
  [{ PATH: '/a/node_modules/.bin:/mine', ...AGENT }, '/mine'],
  [
    {
      PATH: '/b/.npm/_npx/1/node_modules/.bin:/node_modules/.bin:/x/node-gyp-bin:/mine:/y/node_modules/.bin',
      ...AGENT,
    },
    '/mine:/y/node_modules/.bin',
  ],
  [{ PATH: '/tmp/xfs-1:/a/node_modules/.bin:/mine', ...AGENT }, '/mine'],
  [{ PATH: '/tmp/yarn--1-0.5:/mine', ...AGENT }, '/mine'],
  [{ PATH: '/a/node_modules/.bin:/mine' }, '/a/node_modules/.bin:/mine'],
  [{ PATH: '/a/node_modules/.bin', ...AGENT }, '/a/node_modules/.bin'],
  [{ ...AGENT }, ''],
])('the PATH of the user in %j is %j', (env, path) => {
  expect(userPath(env)).toBe(path);
});

it.each([
  ['http://me:pass%40word@proxy:1', ['me:pass%40word', 'pass%40word', 'pass@word']],
  ['me:pass%word@proxy:1/', ['me:pass%word', 'pass%word', 'pass%word']],
  ['http://proxy:1/path@x:y', []],
  ['http://token@proxy:1', []],
])('the credentials of the proxy %s are %j', (ALL_PROXY, secrets) => {
  expect(proxySecrets({ ALL_PROXY })).toEqual(secrets);
});

it('programs on this machine need no proxy', () => {
  expect(withoutLoopback({ TZ: 'UTC', OTHER: 'x' })).toEqual({ TZ: 'UTC' });
  const NO_PROXY = '127.0.0.1,localhost,::1';
  expect(withoutLoopback({ http_proxy: 'p' })).toEqual({ http_proxy: 'p', NO_PROXY, no_proxy: NO_PROXY });
});
