import { sign } from '@telegram-apps/init-data-node';
import { describe, expect, it } from 'vitest';
import { DeploymentSecrets } from '../../../lib/access/deployment-secrets.ts';
import { telegramUsers, verifyTelegram } from '../../../lib/access/telegram.ts';

const BOT = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0';
const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const USER = { id: 279058397, first_name: 'Ada & "Bo"', username: 'ada' };

const initData = ({ at = NOW, user = USER, bot = BOT }: { at?: number; user?: typeof USER; bot?: string } = {}) =>
  sign({ user, query_id: 'AAHdF6IQAAAAAN0XohDhrOrc', chat_instance: '7' }, bot, new Date(at));

const verify = async (data: string | undefined, bot: string | undefined = BOT) =>
  await verifyTelegram(
    { headers: { 'x-telegram-init-data': data } },
    {
      secrets: new DeploymentSecrets(async () => bot),
      users: telegramUsers(`17:viewer,${USER.id}:operator`),
      now: () => NOW,
    },
  );

const ADA = { kind: 'telegram', name: 'telegram:279058397', role: 'operator' };

describe("what Telegram signed with the bot's token", () => {
  it('lets in a user on the list, in the role that the list gives', async () => {
    expect(await verify(initData())).toEqual(ADA);
  });

  it("is what the vector of Telegram's own form says: fields sorted, hash and all", async () => {
    const fields = [...new URLSearchParams(initData())];
    expect(await verify(new URLSearchParams(fields.reverse()).toString())).toEqual(ADA);
  });

  it('rejects users who are not on the list', async () => {
    expect(await verify(initData({ user: { ...USER, id: 7 } }))).toBeUndefined();
  });

  it('is good for an hour, and not before its time', async () => {
    const minute = 60_000;
    const second = 1_000;
    expect(await verify(initData({ at: NOW - 60 * minute }))).toEqual(ADA);
    expect(await verify(initData({ at: NOW - 60 * minute - second }))).toBeUndefined();
    expect(await verify(initData({ at: NOW + minute }))).toEqual(ADA);
    expect(await verify(initData({ at: NOW + minute + second }))).toBeUndefined();
  });
});

describe('data that Telegram did not sign is rejected', () => {
  const signed = initData();
  const changed = (change: (fields: URLSearchParams) => void) => {
    const fields = new URLSearchParams(signed);
    change(fields);
    return fields.toString();
  };
  const hash = new URLSearchParams(signed).get('hash') ?? '';
  const cases: [string, string | undefined][] = [
    ['nothing', undefined],
    ['an empty text', ''],
    ['what is no query', '{"user":{"id":279058397}}'],
    ["another bot's signature", initData({ bot: `${BOT}x` })],
    ['no hash', changed((fields) => fields.delete('hash'))],
    ['an empty hash', changed((fields) => fields.set('hash', ''))],
    ['half a hash', changed((fields) => fields.set('hash', hash.slice(0, 32)))],
    ['another user', changed((fields) => fields.set('user', JSON.stringify({ ...USER, id: 7 })))],
    ['another time', changed((fields) => fields.set('auth_date', String(NOW / 1000 + 1)))],
    ['a field more', changed((fields) => fields.set('start_param', 'x'))],
    ['a field less', changed((fields) => fields.delete('query_id'))],
    ['a user twice', `${signed}&user=${encodeURIComponent(JSON.stringify({ id: 7 }))}`],
    ['a user twice, the signed one last', `user=${encodeURIComponent(JSON.stringify({ id: 7 }))}&${signed}`],
    [
      'two fields glued to one by a line end',
      changed((fields) => {
        fields.set('chat_instance', `7\nquery_id=${fields.get('query_id')}`);
        fields.delete('query_id');
      }),
    ],
  ];
  it.each(cases)('%s', async (_, data) => {
    expect(await verify(data)).toBeUndefined();
  });

  it('anything, where the deployment has no bot', async () => {
    const none = new DeploymentSecrets(async () => undefined);
    const settings = { secrets: none, users: telegramUsers(`${USER.id}:operator`), now: () => NOW };
    expect(await verifyTelegram({ headers: { 'x-telegram-init-data': signed } }, settings)).toBeUndefined();
  });
});

it('at most 8,192 bytes of it are read', async () => {
  const padded = (length: number) => {
    const unpadded = sign({ user: USER, start_param: '' }, BOT, new Date(NOW));
    return sign({ user: USER, start_param: 'x'.repeat(length - unpadded.length) }, BOT, new Date(NOW));
  };
  expect(padded(8_192)).toHaveLength(8_192);
  expect([await verify(padded(8_192)), await verify(padded(8_193))]).toEqual([ADA, undefined]);
});
