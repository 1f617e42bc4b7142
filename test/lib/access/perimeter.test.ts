import { expect, it } from 'vitest';
import { DeploymentSecrets } from '../../../lib/access/deployment-secrets.ts';
import { type PerimeterSettings, verifyPerimeter } from '../../../lib/access/perimeter.ts';

const [OLD, NEW, THIRD] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];
const HOLDER = { kind: 'perimeter', name: 'perimeter' };

const verify = async (
  token: string | undefined,
  { secret = OLD, address, sources = [] }: { secret?: string; address?: string } & Partial<PerimeterSettings> = {},
) =>
  await verifyPerimeter(
    { headers: { 'x-perimeter-token': token }, address },
    { secrets: new DeploymentSecrets(async () => secret), sources },
  );

it('the token that the deployment shares with its proxy is accepted', async () => {
  expect(await verify(OLD)).toEqual(HOLDER);
});

it('a missing, shortened or extended token is rejected', async () => {
  for (const token of [undefined, '', ' ', 'x', OLD.slice(1), `${OLD}a`, NEW]) {
    expect(await verify(token), String(token)).toBeUndefined();
  }
});

it('every token is rejected if the deployment has none, or a guessable one', async () => {
  expect(await verify(OLD, { secret: '' })).toBeUndefined();
  expect(await verify('', { secret: '' })).toBeUndefined();
  const [long, short] = ['x'.repeat(32), 'x'.repeat(31)];
  expect(await verify(short, { secret: short })).toBeUndefined();
  expect(await verify(` ${long} `, { secret: `${short}\n${long}` })).toEqual(HOLDER);
});

it('two tokens are accepted during a rotation, a third is not', async () => {
  const secret = `${OLD}\n${NEW}\n${THIRD}\n`;
  expect([await verify(OLD, { secret }), await verify(NEW, { secret })]).toEqual([HOLDER, HOLDER]);
  expect(await verify(THIRD, { secret })).toBeUndefined();
});

it('with ranges configured, the token is accepted from these addresses only', async () => {
  const sources = ['203.0.113.0/24', '2001:db8::/32'];
  for (const address of ['203.0.113.7', '2001:db8::7', '::ffff:203.0.113.7']) {
    expect(await verify(OLD, { sources, address }), address).toEqual(HOLDER);
  }
  for (const address of ['203.0.114.7', '2001:db9::7', undefined]) {
    expect(await verify(OLD, { sources, ...(address && { address }) }), String(address)).toBeUndefined();
  }
});

it('a changed secret takes effect within a minute, and is read only as often as needed', async () => {
  let [now, reads, secret] = [0, 0, OLD];
  const secrets = new DeploymentSecrets(
    async () => {
      reads += 1;
      return secret;
    },
    () => now,
  );
  const isIn = async (token: string) =>
    (await verifyPerimeter(
      { headers: { 'x-perimeter-token': token }, address: undefined },
      { secrets, sources: [] },
    )) !== undefined;
  expect([await isIn(OLD), await isIn(OLD), reads]).toEqual([true, true, 1]);
  secret = NEW;
  now = 60_000;
  expect([await isIn(OLD), await isIn(NEW), reads]).toEqual([false, true, 2]);
});
