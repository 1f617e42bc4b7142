import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { secretFault } from '../../../lib/contract/input/secret-like.ts';

const base62 = (length: number) =>
  Array.from(
    randomBytes(length),
    (byte) => 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'[byte % 62],
  ).join('');
/** Keys of test vectors, in pieces: scanners of repositories look for whole ones. */
const joined = (...pieces: string[]) => pieces.join('');
const pem = (type: 'spki' | 'pkcs8') => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return (
    type === 'spki' ? publicKey.export({ type, format: 'pem' }) : privateKey.export({ type, format: 'pem' })
  ).toString();
};

it.each([
  ['db_password', 'hunter2'],
  ['password2', 'x1'],
  ['api_key', 'abc'],
  ['openai_key', 'abc'],
  ['stripe_key_test', 'abc'],
  ['key', 'abc'],
  ['github_token', 'abc'],
  ['token_prod', 'abc'],
  ['client_secret', 'abc'],
  ['aws_credentials', 'abc'],
  ['passphrase', 'correct horse battery staple'],
])('the name %s is one of a secret', (name, value) => {
  expect(secretFault(name, value)).toBe(`"${name}" names a secret`);
});

it.each([
  ['aws', joined('AKIA', 'IOSFODNN7EXAMPLE')],
  ['github', joined('ghp_', base62(36))],
  ['github', joined('github_pat_', base62(30))],
  ['gitlab', joined('glpat-', base62(20))],
  ['slack', joined('xoxb-', '123456789012-abcdef')],
  ['hook', joined('https://hooks.slack.com/services/', 'T000/B000/XXXX')],
  ['stripe', joined('sk_live_', base62(24))],
  ['openai', joined('sk-proj-', base62(40))],
  ['anthropic', joined('sk-ant-api03-', base62(40))],
  ['google', joined('AIza', base62(35))],
  ['npm', joined('npm_', base62(36))],
  ['telegram', joined('110201543:', 'AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0')],
  ['promptq', joined('pq_', base62(43))],
  ['jwt', joined('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0.', base62(43))],
  ['pem', pem('pkcs8')],
  ['header', 'Authorization: Bearer 4f1c9d2ab87e6053aa01'],
  ['database', 'postgres://app:hunter2@db.example.com/app'],
  ['bucket', `https://b.example.com/o?X-Amz-Signature=${randomBytes(32).toString('hex')}`],
  ['storage', joined('DefaultEndpointsProtocol=https;AccountKey=', 'abcdefgh')],
])('the value of %s has the format of a secret', (name, value) => {
  expect(secretFault(name, value)).toMatch(/^the value looks like an? /);
});

it('nearly all random keys are found', () => {
  const missed = (made: () => string) =>
    Array.from({ length: 2_000 }, made).filter((value) => secretFault('setting', `x ${value}`) === undefined).length;
  expect(missed(() => base62(32)) / 2_000).toBeLessThan(0.03);
  expect(missed(() => base62(40)) / 2_000).toBeLessThan(0.02);
  expect(missed(() => randomBytes(32).toString('base64')) / 2_000).toBeLessThan(0.02);
  expect(missed(() => randomBytes(32).toString('base64url')) / 2_000).toBeLessThan(0.02);
});

it('ids, digests and versions pass, whatever they are', () => {
  const made = [
    () => randomUUID(),
    () => createHash('sha1').update(randomBytes(8)).digest('hex'),
    () => createHash('sha256').update(randomBytes(8)).digest('hex'),
    () => `sha512-${createHash('sha512').update(randomBytes(8)).digest('base64')}`,
    () => `app@sha256:${randomBytes(32).toString('hex')}`,
    () => randomBytes(13).toString('hex').toUpperCase(),
    () => `https://docs.example.com/d/${base62(44)}/edit?tab=1#gid=0`,
    () => Buffer.from(`user ${randomUUID()} is in Zürich`).toString('base64'),
    () => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base62(43)} me@example.com`,
  ];
  const found = made.flatMap((one) => Array.from({ length: 500 }, one)).filter((value) => secretFault('ref', value));
  expect(found).toEqual([]);
});

it.each([
  ['region', 'eu-central-1'],
  ['version', '1.24.0-rc.3+build.5114f85'],
  ['greeting', Buffer.from('Hello, world').toString('base64')],
  ['config', Buffer.from(JSON.stringify({ name: 'Ada', size: 12, deep: { is: true } })).toString('base64')],
  ['website', 'https://www.example.com/search?q=cats&page=2&sort=Newest#results'],
  ['repository', 'git@github.com:Example-Org/My.Repository2.git'],
  ['database', 'postgres://app@db.example.com:5432/app?sslmode=require'],
  ['template', 'postgres://$DB_USER:$DB_PASSWORD@db.example.com/app'],
  ['image', 'registry.example.com:5000/team/app:2026-11-28T10.41-5114f85'],
  ['role', 'arn:aws:iam::123456789012:role/DeployFromGitHubActions2024'],
  ['handler', 'getUserByIdAndUpdateLastLoginV2Handler'],
  ['machine', 'EC2-T3a-Large-X86-64-Ubuntu22-LTS'],
  ['build', '2026-11-28T10-41-00Z-Build7'],
  ['path', '/srv/Apps/MyCompany/BillingService2/src/main/java/com/Example/Invoice2Pdf.java'],
  ['reviewers', 'ada.lovelace@example.com, grace.hopper@example.com'],
  ['text', 'Translate the README to German, keep code blocks.\nUse "Sie".'],
  ['time', '2026-11-28T10:41:00.000+01:00'],
  ['branch', 'feature/ABC-1234-Add-OAuth2-Login-For-SSO-Users'],
  ['cron', '*/15 9-17 * * 1-5'],
  ['locale', 'sk-SK'],
  ['public', pem('spki')],
  ['max_tokens', '4096'],
  ['token_limit', '200000'],
  ['password_policy', 'at least 12 characters'],
  ['password_min_length', '12'],
  ['secret_name', 'DEPLOY_TOKEN'],
  ['require_password', 'true'],
  ['sort_key', 'created_at'],
  ['cache_key', 'node-22-npm'],
  ['ssh_public_key', 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDeFgHiJkLmN0pQrS'],
  ['keyboard', 'de'],
  ['monkey', 'capuchin'],
  ['project_key', 'SHOP'],
  ['empty', ''],
])('%s passes: %s', (name, value) => {
  expect(secretFault(name, value)).toBeUndefined();
});
