/** Opens the sign-in, which returns to the current page. */
export function signIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/auth/sign-in?return_to=${encodeURIComponent(here)}`);
}

/** Ends the session and shows the signed-out page. After a lost response, the start page shows whether it has ended. */
export async function signOut(): Promise<void> {
  const answer = await fetch('/auth/sign-out', { method: 'POST', credentials: 'same-origin' }).catch(() => undefined);
  // The page that the service redirects to.
  window.location.assign(answer?.redirected ? answer.url : '/');
}
