import { isOwnOrigin } from '../../lib/access/own-origin.ts';
import { writeCookie } from '../../lib/access/sessions/session-cookie.ts';
import { handlePage } from '../../lib/api/pages/serve-page.ts';
import { signOut as page, signedOut } from '../../lib/contract/routes/pages.ts';

/** `POST /auth/sign-out` */
export const handler = handlePage(
  page,
  ({ sessions }) => sessions,
  async ({ headers, cookies, brought, origin }, sessions) => {
    if (!isOwnOrigin(headers, origin)) {
      return {
        status: 403,
        page: {
          title: 'You are still signed in',
          paragraphs: [`Another site asked to sign you out. Only pages of ${origin} can do that.`],
          link: { text: 'Continue', path: '/' },
        },
      };
    }
    const session = brought.session && (await sessions.verify(brought.session));
    if (session) await sessions.end(session.id);
    return {
      location: signedOut.path,
      cookies: [writeCookie(cookies.session, '', { secure: cookies.secure, maxAge: 0 })],
      ...(session && {
        principal: { kind: 'session', name: session.name, role: session.role, sessionId: session.id },
      }),
    };
  },
);
