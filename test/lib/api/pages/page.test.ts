import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { frame, PAGE_HEADERS, renderPage } from '../../../../lib/api/pages/page.ts';

it('a page shows its texts, links and the id of the request, all as plain text', () => {
  const link = { text: 'Sign in <again>', path: '/auth/sign-in?a=1&b="' };
  const page = renderPage(
    { title: `<a>&"'`, paragraphs: ['1 < 2', 'b'], link, secondLink: { text: 'c', path: '/' } },
    'r<',
  );
  expect(page.slice(page.indexOf('<main>'))).toBe(
    [
      '<main>',
      '<h1>&#60;a&#62;&#38;&#34;&#39;</h1>',
      '<p>1 &#60; 2</p>',
      '<p>b</p>',
      '<p><a href="/auth/sign-in?a=1&#38;b=&#34;">Sign in &#60;again&#62;</a></p>',
      '<p><a href="/">c</a></p>',
      '<p><small>Request r&#60;</small></p>',
      '</main></body></html>',
      '',
    ].join('\n'),
  );
  expect(page).toContain('<title>&#60;a&#62;&#38;&#34;&#39; - Promptq</title>');
});

it('a page may have no style but its own, no script and no frame around it', () => {
  const [, style = ''] = /<style>(.*)<\/style>/.exec(frame('T', '')) ?? [];
  const policy = PAGE_HEADERS['content-security-policy'];
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
  expect(style).toMatch(
    /^:root\{color-scheme:light dark;--ground:#f6f6f9;.*@media\(prefers-color-scheme:dark\)\{:root\{--ground:#161d26/,
  );
  expect(PAGE_HEADERS).toEqual({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
});
