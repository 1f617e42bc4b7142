/** Leaves for the sign-in, which leads back to where the user is now. */
export function signIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/auth/sign-in?return_to=${encodeURIComponent(here)}`);
}

/** Ends the session, and shows that it is over. */
export async function signOut(): Promise<void> {
  const answer = await fetch('/auth/sign-out', { method: 'POST', credentials: 'same-origin' });
  // Where the service sends to after it.
  window.location.assign(answer.redirected ? answer.url : '/');
}
