import { createRequire } from 'node:module';

interface Event {
  readonly name: string;
  readonly examples: readonly object[];
}

const require = createRequire(import.meta.url);

/** Real payloads of GitHub's webhooks. */
export const GITHUB_EVENTS: readonly Event[] = require('@octokit/webhooks-examples');
