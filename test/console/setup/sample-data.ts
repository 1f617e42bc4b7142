import type { Page } from 'playwright-core';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { callFromPage } from './browser.ts';

const RULES = [
  {
    id: 'house-style',
    name: 'How we write code',
    text: 'Follow the conventions of the repository. Keep changes small.',
  },
  { id: 'no-network', text: 'Do not install packages and do not call services on the network.' },
];
const PROFILES = [
  { name: 'review', agent: 'codex', model: 'gpt-5-codex', sandbox: 'read-only', timeout: 900, retries: 1 },
  { name: 'ship', agent: 'shell', env: { STAGE: 'production', DEPLOY_TOKEN: { secret: 'DEPLOY_TOKEN' } } },
];

const PACKAGE = { name: 'package', type: 'string', pattern: '[a-z0-9@/-]+', example: 'react-router' };
/** The versions of a template. */
const UPGRADES = [
  {
    description: 'Upgrades a package of a repository.',
    prompt: 'Upgrade {{package}} in this repository.\nRun the tests.',
    parameters: [PACKAGE],
  },
  {
    description: 'Upgrades a package of a repository, and repairs what that breaks.',
    prompt:
      'Upgrade {{package}} by one {{size}} version.\nRead its changelog. {{notes}}\nRun the tests, and repair what fails.\n' +
      'Keep to {{files}} changed files. Commit: {{commit}}.',
    title: 'Upgrade {{package}}',
    parameters: [
      { ...PACKAGE, description: 'Its name in the manifest.' },
      { name: 'size', type: 'enum', values: ['patch', 'minor', 'major'], default: 'minor' },
      { name: 'files', type: 'number', default: 20, description: 'At most this many files may change.' },
      { name: 'commit', type: 'boolean', default: false },
      { name: 'notes', type: 'text', required: false, description: 'What the agent should know.' },
    ],
    retries: 1,
    tags: ['upgrade'],
  },
];
const RELEASE_NOTES = {
  prompt: 'Write the release notes since {{tag}}.',
  parameters: [{ name: 'tag', type: 'string', example: 'v1.4.0' }],
  project: 'handbook',
};

/** A test run with terminal colours, an attachment and a line on stderr. */
const SUITES = String.raw`# Run all suites and keep the report
for suite in cart checkout search login profile orders; do
  printf '\033[32m✓\033[0m %-10s %s tests passed \033[90m(%s ms)\033[0m\n' "$suite" $(( \${#suite} * 7 )) $(( \${#suite} * 31 ))
done
echo 'warning: 2 tests are skipped on this machine' >&2
printf '\033[1;32m6 suites passed\033[0m\n'
echo '<report suites="6"/>' > "$PROMPTQ_ATTACHMENTS/report.xml"
mkdir -p src/checkout node_modules; echo 'export const suites = 6;' > src/checkout/suites.ts
printf '# Suites\n\nAll passed.\n' > README.md; ln -s /etc/passwd link`.replaceAll('\\$', '$');
const IMPORT = String.raw`# Import the product catalogue, page by page
page=0
while :; do page=$((page + 1)); printf '\033[36mpage %s\033[0m 250 products\n' "$page"; sleep 0.4; done`;
const AGENT = [
  'Find out why the nightly build fails, and suggest a fix',
  'drill: tool printf "%s\\n" src/cart.ts src/checkout.ts src/search.ts',
  'drill: tool echo "checkout.test.ts: expected 3 items, received 2"; exit 1',
  `drill: follow-up ${JSON.stringify({ prompt: 'Fix the rounding in the checkout', draft: true })}`,
].join('\n');

/** Jobs of a sample run by what they demonstrate, oldest first. */
const JOBS = {
  cancelled: { prompt: 'Translate the handbook into Welsh', project: 'handbook', save_draft: true },
  draft: { prompt: 'Update the onboarding guide for the new sign-in', project: 'handbook', save_draft: true },
  failed: {
    prompt: '# Check the links of the handbook\necho "Broken: two links lead nowhere" >&2; exit 3',
    profile: 'shell',
    project: 'handbook',
  },
  ended: {
    prompt: SUITES,
    profile: 'shell',
    project: 'storefront',
    priority: 5,
    retries: 2,
    title: 'Nightly suites of the storefront',
    tags: ['nightly', 'tests'],
  },
  agent: { prompt: AGENT, project: 'storefront', rule_ids: ['house-style'] },
  running: { prompt: IMPORT, profile: 'shell', project: 'storefront' },
  waiting: { prompt: 'Rename the settings page\ndrill: usage-limit 900', project: 'handbook', priority: 2 },
} as const;

/** Further turns, each of the thread of a sample job. */
const TURNS = {
  answered: { continues: 'agent', prompt: 'Now apply the fix and add a test' },
  next: { continues: 'running', prompt: '# Compare the prices of both catalogues\necho done' },
} as const;

/** IDs of the sample jobs. */
export type SampleJobs = Readonly<Record<keyof typeof JOBS | keyof typeof TURNS, string>>;

const DIAGRAMS = {
  'order-flow': [
    'flowchart LR',
    '  Cart --> Checkout{Paid?}',
    '  Checkout -->|yes| Invoice --> Parcel',
    '  Checkout -->|no| Reminder --> Checkout',
  ],
  'half-done': ['sequenceDiagram', '  Shop->>Bank: Charge', '  Bank-->>'],
};

const PARAMETERS = {
  region: { value: 'eu-central-1', description: 'Where the shop is deployed.' },
  languages: { value: 'de, en, fr' },
  style: { value: 'Short sentences.\nNo exclamation marks, and never the word “simply”.' },
};

/**
 * Fills a local run with sample data: jobs in every state, bindings, tokens, rules, profiles.
 * @param admin a page signed in as admin, because only people can create tokens
 */
export async function makeSampleData(service: ServiceUnderTest, admin: Page): Promise<SampleJobs> {
  await called(service, 'POST', '/config/import', { rules: RULES, profiles: PROFILES });
  for (const template of UPGRADES) await called(service, 'PUT', '/templates/upgrade', template);
  await called(service, 'PUT', '/templates/release-notes', RELEASE_NOTES);
  await called(service, 'POST', '/deploy-bindings', {
    project: 'storefront',
    name: 'publish report',
    binding_mode: 'custom',
    command: 'echo "report published"',
  });
  for (const [name, lines] of Object.entries(DIAGRAMS))
    await called(service, 'PUT', `/diagrams/${name}?project=storefront`, { text: lines.join('\n') });
  for (const [name, body] of Object.entries(PARAMETERS))
    await called(service, 'PUT', `/parameters/${name}?project=storefront`, body);
  await called(service, 'POST', '/deploy-bindings', {
    project: 'shop window',
    binding_mode: 'web_framework',
    framework: 'astro',
  });
  await called(service, 'POST', '/deploy-bindings', { project: 'handbook', binding_mode: 'generic' });
  for (const name of ['nightly build', 'release bot'])
    if ((await callFromPage(admin, 'POST', '/tokens', { name })) !== 201) throw new Error('there is no token');
  const ids: Record<string, string> = {};
  for (const [name, job] of Object.entries(JOBS)) {
    ids[name] = (await called(service, 'POST', '/jobs', job)).id;
    if (name === 'cancelled') await called(service, 'POST', `/jobs/${ids[name]}/cancel`, {});
    else if (!('save_draft' in job)) await settled(service, ids[name] ?? '');
  }
  for (const [name, { continues, prompt }] of Object.entries(TURNS)) {
    ids[name] = (await called(service, 'POST', '/jobs', { continue: ids[continues], prompt })).id;
    await settled(service, ids[name] ?? '');
  }
  return ids as SampleJobs;
}

/** Waits until a job has ended, waits for its vendor, or is the one that never ends. */
async function settled(service: ServiceUnderTest, id: string): Promise<void> {
  await waitFor(
    async () => {
      const { status, state_reason, prompt } = (await service.api('GET', `/jobs/${id}`)).json;
      if (status === 'QUEUED') return ['usage_limit', 'waiting_for_thread'].includes(state_reason.code);
      return status !== 'RUNNING' || prompt === IMPORT;
    },
    { timeoutMs: 90_000 },
  );
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely
async function called(service: ServiceUnderTest, method: string, path: string, body: unknown): Promise<any> {
  const answer = await service.api(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}
