import { browserWords } from '../../lib/access/sessions/browser-words.ts';
import { writeCookie } from '../../lib/access/sessions/session-cookie.ts';
import { returnPath } from '../../lib/access/sign-in/return-path.ts';
import { refusedSignIn } from '../../lib/api/pages/refused-sign-in.ts';
import { handlePage, NOT_SET_UP } from '../../lib/api/pages/serve-page.ts';
import type { Core } from '../../lib/api/runtime/core.ts';
import { createSignIn } from '../../lib/api/runtime/sign-in.ts';
import { finishSignIn as page } from '../../lib/contract/routes/pages.ts';

const open = (core: Core) => ({
  openedSignIn: createSignIn(core, { withSecret: true }),
  maxAge: core.env.PROMPTQ_SESSION_MAX_SECONDS,
});

/** `GET /auth/callback` */
export const handler = handlePage(page, open, async (visit, { openedSignIn, maxAge }) => {
  const { query, headers, address, cookies, brought, origin } = visit;
  const signIn = await openedSignIn();
  if (signIn === undefined) return NOT_SET_UP;
  const outcome = await signIn.finish({
    query,
    secrets: brought.signIns,
    formerSession: brought.session,
    place: { browser: browserWords(headers['user-agent']), address },
  });
  if (outcome.kind === 'unknown') return refusedSignIn(outcome);
  const { secure } = cookies;
  const served = writeCookie(`${cookies.signIn}-${outcome.slot}`, '', { secure, maxAge: 0 });
  if (outcome.kind !== 'signed-in') return { ...refusedSignIn(outcome), cookies: [served] };
  const { session, cookie, returnTo } = outcome;
  return {
    // A planted cookie lets an attacker forge the state, so the path is checked again.
    location: returnPath(returnTo, origin) ?? '/',
    cookies: [served, writeCookie(cookies.session, cookie, { secure, maxAge })],
    principal: { kind: 'session', name: session.name, role: session.role, sessionId: session.id },
  };
});
