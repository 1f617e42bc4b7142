import type { SignInOutcome } from '../../access/sign-in/sign-in.ts';
import { beginSignIn } from '../../contract/routes/pages.ts';
import type { PageAnswer } from './serve-page.ts';

/** Maximum length of external text on a page. */
const MAX_TEXT_LENGTH = 300;

/** The page that explains why a sign-in failed. */
export function refusedSignIn(outcome: Exclude<SignInOutcome, { kind: 'signed-in' }>): PageAnswer {
  switch (outcome.kind) {
    case 'unknown':
      return {
        status: 400,
        page: {
          title: 'This sign-in is over',
          paragraphs: [
            'It was begun in another browser, took longer than ten minutes, or is finished already. If you did not open this page, someone may have sent you a link that signs you in under another account.',
          ],
          link: { text: 'Sign in', path: beginSignIn.path },
        },
      };
    case 'refused':
      return {
        status: 403,
        page: {
          title: 'The identity provider has not let you in',
          paragraphs: [`It says: ${outcome.why.slice(0, MAX_TEXT_LENGTH)}`],
          link: { text: 'Sign in again', path: again(outcome.returnTo) },
        },
      };
    case 'no-role':
      return {
        status: 403,
        page: {
          title: 'You have no role here',
          paragraphs: [
            `You are signed in as ${outcome.person.email ?? outcome.person.subject}, but in none of the groups that may use this service. Ask its administrator to make you a viewer, an operator or an admin.`,
          ],
          link: { text: 'Sign in as another user', path: again(outcome.returnTo) },
        },
      };
  }
}

function again(returnTo: string): string {
  return `${beginSignIn.path}?${new URLSearchParams({ fresh: '1', return_to: returnTo })}`;
}
