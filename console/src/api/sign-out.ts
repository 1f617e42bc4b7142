/** Ends the session, and shows that it is over. */
export async function signOut(): Promise<void> {
  const answer = await fetch('/auth/sign-out', { method: 'POST', credentials: 'same-origin' });
  // Where the service sends to after it.
  window.location.assign(answer.redirected ? answer.url : '/');
}
