import { createRequire } from 'node:module';

interface Event {
  readonly name: string;
  readonly examples: readonly (object & { readonly action?: string; readonly issue?: { readonly body?: string } })[];
}

/** Real payloads of GitHub's webhooks. */
export const GITHUB_EVENTS: readonly Event[] = createRequire(import.meta.url)('@octokit/webhooks-examples');
