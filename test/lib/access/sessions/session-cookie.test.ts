import { expect, it } from 'vitest';
import {
  cookieNames,
  readCookie,
  readSignInCookies,
  writeCookie,
} from '../../../../lib/access/sessions/session-cookie.ts';

it('over https the cookie is bound to its host, and sent over https only', () => {
  const { session, signIn, secure } = cookieNames('https://promptq.example.com');
  expect([session, signIn]).toEqual(['__Host-promptq', '__Host-promptq-sign-in']);
  expect(writeCookie(session, 'x', { secure, maxAge: 60 })).toBe(
    '__Host-promptq=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  );
});

it('over http, which is on loopback only, it is not', () => {
  const { session, secure } = cookieNames('http://127.0.0.1:8787');
  expect(writeCookie(session, 'x', { secure, maxAge: 0 })).toBe('promptq=x; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
});

it('is read by its whole name', () => {
  expect(readCookie('a=1;promptq=x=y ; b=2', 'promptq')).toBe('x=y');
  for (const header of [undefined, '', 'promptq=', 'xpromptq=1', 'promptq-sign-in=1', 'PROMPTQ=1'])
    expect(readCookie(header, 'promptq')).toBeUndefined();
});

it("those of sign-ins are read by their slots, and none but a sign-in's", () => {
  const header = 'promptq=s; promptq-sign-in-3=a; promptq-sign-in=no;promptq-sign-in-11=b=c; x-promptq-sign-in-4=no';
  expect([...readSignInCookies(header, 'promptq-sign-in')]).toEqual([
    ['3', 'a'],
    ['11', 'b=c'],
  ]);
  expect(readSignInCookies(undefined, 'promptq-sign-in').size).toBe(0);
});
