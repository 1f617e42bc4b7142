import { writeCookie } from '../../lib/access/session-cookie.ts';
import { finishSignIn as page } from '../../lib/contract/routes/pages.ts';
import type { Core } from '../../lib/http/core.ts';
import { openSignIn } from '../../lib/http/open-sign-in.ts';
import { refusedSignIn } from '../../lib/http/refused-sign-in.ts';
import { NOT_SET_UP, servePage } from '../../lib/http/serve-page.ts';

const open = (core: Core) => ({
  openedSignIn: openSignIn(core, { withSecret: true }),
  maxAge: core.env.PROMPTQ_SESSION_MAX_SECONDS,
});

/** `GET /auth/callback` */
export const handler = servePage(page, open, async ({ query, cookies, brought }, { openedSignIn, maxAge }) => {
  const signIn = await openedSignIn();
  if (signIn === undefined) return NOT_SET_UP;
  const outcome = await signIn.finish({ query, browser: brought.signIn, formerSession: brought.session });
  if (outcome.kind !== 'signed-in') return refusedSignIn(outcome);
  const { session, cookie, returnTo } = outcome;
  return {
    location: returnTo,
    cookie: writeCookie(cookies.session, cookie, { secure: cookies.secure, maxAge }),
    principal: { kind: 'session', name: session.name, role: session.role, sessionId: session.id },
  };
});
