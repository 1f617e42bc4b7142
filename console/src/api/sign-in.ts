/** Leaves for the sign-in, which leads back to where the user is now. */
export function signIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/auth/sign-in?return_to=${encodeURIComponent(here)}`);
}
