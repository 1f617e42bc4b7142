import { writeCookie } from '../../lib/access/sessions/session-cookie.ts';
import { returnPath } from '../../lib/access/sign-in/return-path.ts';
import { SIGN_IN_TTL_SECONDS } from '../../lib/access/sign-in/sign-in.ts';
import { handlePage, NOT_SET_UP } from '../../lib/api/pages/serve-page.ts';
import { createSignIn } from '../../lib/api/runtime/sign-in.ts';
import { beginSignIn as page } from '../../lib/contract/routes/pages.ts';

const open = (core: Parameters<typeof createSignIn>[0]) => createSignIn(core, { withSecret: false });

/** `GET /auth/sign-in` */
export const handler = handlePage(page, open, async ({ query, headers, cookies, brought, origin }, openedSignIn) => {
  const signIn = await openedSignIn();
  if (signIn === undefined) return NOT_SET_UP;
  const returnTo = returnPath(query.get('return_to') ?? '/', origin);
  if (returnTo === undefined) {
    return {
      status: 400,
      page: {
        title: 'This link leads elsewhere',
        paragraphs: [
          'After the sign-in it would have led away from here: return_to must be a path of this site, such as /jobs.',
        ],
        link: { text: 'Sign in', path: page.path },
      },
    };
  }
  // Loopback has several names, and a cookie counts for one of them.
  const isElsewhere = !cookies.secure && headers.host !== new URL(origin).host;
  if (isElsewhere) return { location: `${origin}${page.path}?${new URLSearchParams({ return_to: returnTo })}` };
  const { location, slot, secret } = await signIn.begin({
    returnTo,
    secrets: brought.signIns,
    fresh: query.get('fresh') === '1',
  });
  const lifetime = { secure: cookies.secure, maxAge: SIGN_IN_TTL_SECONDS };
  return { location, cookies: [writeCookie(`${cookies.signIn}-${slot}`, secret, lifetime)] };
});
