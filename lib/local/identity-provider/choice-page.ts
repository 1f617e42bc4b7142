import type { ServerResponse } from 'node:http';
import { frame, PAGE_HEADERS } from '../../api/pages/page.ts';
import { ROLES } from '../../contract/roles.ts';

/** The identities that the operator can choose: each role, and a person without one. */
export const CHOICES = [...ROLES, 'stranger'] as const;
export type Choice = (typeof CHOICES)[number];

/**
 * Renders the page with one button for each choice.
 * @param options.needsToken whether the operator has to prove their identity by the token
 * @param options.refused whether the previous attempt failed
 */
export function choicePage(
  response: ServerResponse,
  options: { publicOrigin: string; needsToken: boolean; refused?: boolean },
): void {
  const { publicOrigin, needsToken, refused = false } = options;
  response.writeHead(refused ? 403 : 200, {
    ...PAGE_HEADERS,
    // Browsers also check the target of a form's redirect.
    'content-security-policy': PAGE_HEADERS['content-security-policy'].replace("'self'", `'self' ${publicOrigin}`),
    // Otherwise browsers send the form's origin as `null`.
    'referrer-policy': 'same-origin',
  });
  const markup = [
    '<h1>Sign in to Promptq on this machine</h1>',
    '<form method="post">',
    ...(refused
      ? ['<p role="alert">That was not right. Give the token that was shown when the service started.</p>']
      : []),
    ...(needsToken ? [TOKEN_FIELD] : []),
    '<p><button name="role" value="admin" autofocus>Continue as the local administrator</button></p>',
    '<p>Or see what other roles can do:<br>',
    '<button name="role" value="operator">As an operator</button>',
    '<button name="role" value="viewer">As a viewer</button>',
    '<button name="role" value="stranger">Without a role</button></p>',
    '</form>',
  ];
  response.end(frame('Sign in', markup.join('\n')));
}

const TOKEN_FIELD = [
  '<p>The system does not tell whether it is you who asks, or another user of this machine.</p>',
  '<p><label>Token that was shown when the service started, also in <code>local.json</code> of its home:',
  '<input type="password" name="token" autocomplete="off" required></label></p>',
].join('\n');
