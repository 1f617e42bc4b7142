/** Names and format of the browser's cookies. Over https the prefix `__Host-` binds them to this one host. */
export interface CookieNames {
  /** Proves the session. */
  readonly session: string;
  /** Prefix of the sign-in cookies, which bind a pending sign-in to the browser that started it; the slot follows. */
  readonly signIn: string;
  /** Whether browsers send them over https only. */
  readonly secure: boolean;
}

/** @param publicOrigin the origin that browsers use; plain http only on loopback. */
export function cookieNames(publicOrigin: string | undefined): CookieNames {
  const secure = publicOrigin?.startsWith('http:') !== true;
  const prefix = secure ? '__Host-' : '';
  return { session: `${prefix}promptq`, signIn: `${prefix}promptq-sign-in`, secure };
}

/** The value of a cookie in a request's Cookie header; undefined if there is none. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** The values of the sign-in cookies in a request's Cookie header, by slot. `name` as in `CookieNames`. */
export function readSignInCookies(header: string | undefined, name: string): ReadonlyMap<string, string> {
  const own = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}-`));
  return new Map(
    own.map((pair) => {
      const [slot = '', ...value] = pair.slice(name.length + 1).split('=');
      return [slot, value.join('=')];
    }),
  );
}

/** A Set-Cookie header. `maxAge`: seconds; 0 deletes the cookie. */
export function writeCookie(name: string, value: string, options: { secure: boolean; maxAge: number }): string {
  const attributes = ['Path=/', `Max-Age=${options.maxAge}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${name}=${value}`, ...attributes, ...(options.secure ? ['Secure'] : [])].join('; ');
}
