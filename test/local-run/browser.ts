import { fetchLocalhost } from '../../lib/access/sign-in/localhost-fetch.ts';
import type { ServiceUnderTest } from './local-service.ts';

/** The identities for a sign-in at the local run. */
export type Choice = 'viewer' | 'operator' | 'admin' | 'stranger';

/** A browser as far as signing in needs one: it keeps cookies by host and follows no redirect. */
export class Browser {
  readonly #service: ServiceUnderTest;
  /** By host without port, as browsers keep them, then by name. */
  readonly cookies = new Map<string, Map<string, string>>();

  constructor(service: ServiceUnderTest) {
    this.#service = service;
  }

  /** What it keeps for the service, by name. */
  get ownCookies(): Map<string, string> {
    return this.cookies.get(new URL(this.#service.consoleUrl).hostname) ?? new Map();
  }

  /** Requests a URL, or a path of the service; a redirect is not followed. */
  async open(target: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(target, this.#service.consoleUrl);
    const jar = this.cookies.get(url.hostname) ?? new Map<string, string>();
    this.cookies.set(url.hostname, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetchLocalhost(url, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie !== '' && { cookie }), ...Object.fromEntries(new Headers(init.headers)) },
    });
    Object.defineProperty(response, 'url', { value: url.href });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** The redirect of a response. */
  follow(response: Response): string {
    return new URL(response.headers.get('location') ?? '', response.url).href;
  }

  /** Begins a sign-in. Returns the URL of the identity provider. */
  async begin(path = '/auth/sign-in'): Promise<string> {
    return this.follow(await this.open(path));
  }

  /** Chooses a role. Returns the URL of ours that the identity provider sends the browser back to. */
  async chooseRole(choice: Choice, begun?: string): Promise<string> {
    const page = this.follow(await this.open(begun ?? (await this.begin())));
    const chosen = await this.open(page, {
      method: 'POST',
      body: new URLSearchParams({ role: choice }),
      headers: { origin: new URL(page).origin },
    });
    return this.follow(await this.open(this.follow(chosen)));
  }

  /** Signs in. Returns the last answer: the start of the session, or the reason why there is none. */
  async signIn(choice: Choice, path?: string): Promise<Response> {
    return await this.open(await this.chooseRole(choice, await this.begin(path)));
  }

  /** Calls the API as a page of the service does. `path` is relative to `/api/v1`. */
  async api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const origin = method === 'GET' ? {} : { origin: this.#service.consoleUrl };
    const response = await this.open(`/api/v1${path}`, {
      method,
      headers: { ...origin, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    };
  }
}

/** A browser with a session. */
export async function signedInBrowser(service: ServiceUnderTest, choice: Choice): Promise<Browser> {
  const browser = new Browser(service);
  const { status } = await browser.signIn(choice);
  if (status !== 303) throw new Error(`signing in as ${choice} was answered with ${status}`);
  return browser;
}
