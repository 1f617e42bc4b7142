import { handlePage } from '../../lib/api/pages/serve-page.ts';
import { createSignIn } from '../../lib/api/runtime/sign-in.ts';
import { beginSignIn, signedOut as page } from '../../lib/contract/routes/pages.ts';

const open = (core: Parameters<typeof createSignIn>[0]) => createSignIn(core, { withSecret: false });

/** `GET /auth/signed-out`; with `everywhere=1` it redirects to the identity provider, which then ends its session too. */
export const handler = handlePage(page, open, async ({ query, origin }, openedSignIn) => {
  const signIn = await openedSignIn();
  if (query.get('everywhere') === '1') {
    const location = await signIn?.forgetUrl(`${origin}${page.path}`);
    if (location !== undefined) return { location };
  }
  return {
    status: 200,
    page: {
      title: 'You are signed out',
      paragraphs: ['The session in this browser has ended. You may still be signed in at the identity provider.'],
      link: { text: 'Sign in', path: `${beginSignIn.path}?fresh=1` },
      ...(signIn?.canForget && {
        secondLink: { text: 'Sign out at the identity provider too', path: `${page.path}?everywhere=1` },
      }),
    },
  };
});
