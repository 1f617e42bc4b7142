/** Opens the sign-in, which returns to the current page. */
export function signIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/auth/sign-in?return_to=${encodeURIComponent(here)}`);
}

/**
 * Ends the session, drops the unsent input of this tab, and shows the signed-out page. After a lost response, the start
 * page shows whether the session has ended.
 */
export async function signOut(): Promise<void> {
  const answer = await fetch('/auth/sign-out', { method: 'POST', credentials: 'same-origin' }).catch(() => undefined);
  try {
    window.sessionStorage.clear();
  } catch {
    // Storage may be unavailable, and then holds nothing.
  }
  // The page that the service redirects to.
  window.location.assign(answer?.redirected ? answer.url : '/');
}
