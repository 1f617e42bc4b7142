import type { Page } from 'playwright-core';
import { stubEvents } from '../setup/event-stubs.ts';
import { stubFailure, stubQuestions, stubTalk } from '../setup/question-stubs.ts';
import type { SampleJobs } from '../setup/sample-data.ts';
import {
  emptyLists,
  neverRespond,
  rejectRequests,
  serviceResponse,
  stubAccount,
  stubAutomations,
  stubChanges,
  stubComparedChanges,
  stubDeletedOutput,
  stubExports,
  stubMonth,
  stubTemplate,
} from '../setup/stubs.ts';
import { stubSubscriptions } from '../setup/subscription-stubs.ts';
import { CONSOLE_PAGES } from './console-pages.ts';

/** A state of the console to capture and check. */
export interface Scene {
  readonly name: string;
  readonly path: (jobs: SampleJobs) => string;
  /** Runs before the page is opened, for example to stub responses. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Runs once the page is open: clicks and waits. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const press = (name: string | RegExp) => async (page: Page) => await page.getByRole('button', { name }).first().click();
const asks = (name: string | RegExp) => async (page: Page) => {
  await press(name)(page);
  await page.getByRole('dialog').waitFor();
};
/** Fills in a dialog's only field and submits it. */
const makes = (button: string, field: string, text: string) => async (page: Page) => {
  await asks(button)(page);
  await page.getByLabel(field).fill(text);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('button', { name: 'I have saved it' }).waitFor();
};
/** By the palette, because the button is hidden on a phone. */
const fromTerminal = async (page: Page) => {
  await asks('Command palette')(page);
  await page.getByRole('combobox').fill('terminal');
  await page.getByRole('option', { name: 'From a terminal' }).click();
  await page.getByRole('dialog', { name: 'From a terminal' }).getByRole('button').nth(1).waitFor();
};
const shown = async (page: Page, text: string) => await page.getByText(text).first().waitFor();
const tab = (job: keyof SampleJobs, name: string, act?: Scene['act']): Scene => ({
  name: `job-${job}-${name}`,
  path: (jobs) => `/jobs/${jobs[job]}?tab=${name}`,
  ...(act && { act }),
});
const asViewer = async (page: Page) =>
  await page.route('**/api/v1/session', async (route) => {
    await route.fulfill({ json: { ...(await serviceResponse<object>(route)), role: 'viewer' } });
  });
const noJobs = async (page: Page) => await shown(page, 'No jobs yet');
const failed = async (page: Page) => await shown(page, 'could not be loaded');
const inTenMinutes = () => new Date(Date.now() + 600_000).toISOString();
const fault = { error: 'internal_error', request_id: '4f0c2b7e-7d51-4d7e-9f5b-0d8f3a1c5e21' };
/** Every page, a job in each state and on each tab, dialogs, and empty and error states. */
export const SCENES: readonly Scene[] = [
  ...CONSOLE_PAGES.map((page): Scene => ({ name: page.replaceAll('/', '-'), path: () => `/${page}` })),
  tab('ended', 'log', async (page) => await shown(page, '6 suites passed')),
  tab('ended', 'result'),
  tab('ended', 'details'),
  tab('ended', 'files', async (page) => {
    await page.getByRole('button', { name: 'README.md' }).click();
    await shown(page, 'All passed.');
  }),
  tab('ended', 'attachments', async (page) => await shown(page, 'report.xml')),
  tab('ended', 'deployments'),
  tab('agent', 'timeline', async (page) => await shown(page, 'Input:')),
  tab('agent', 'log', async (page) => await shown(page, 'turn/completed')),
  tab('agent', 'tree', async (page) => await shown(page, '(this job)')),
  {
    ...tab('agent', 'tree', async (page) => {
      await page.getByRole('button', { name: 'Cancel all' }).click();
      await shown(page, 'of this tree that have not ended');
    }),
    name: 'job-agent-cancel-all',
  },
  tab('answered', 'conversation', async (page) => await page.locator('.turn .markdown').nth(1).waitFor()),
  tab('next', 'conversation', async (page) => await shown(page, 'An earlier turn')),
  {
    ...tab('agent', 'changes', async (page) => {
      await page.locator('.diff-rows').first().waitFor();
    }),
    before: stubChanges,
  },
  {
    ...tab('agent', 'changes', async (page) => {
      await page.evaluate("localStorage.setItem('promptq.diff-layout', 'side-by-side')");
      await page.reload();
      await page.locator('.diff-rows').first().waitFor();
      await page.evaluate("localStorage.removeItem('promptq.diff-layout')");
    }),
    name: 'job-agent-changes-side-by-side',
    before: stubChanges,
  },
  {
    ...tab('failed', 'details', async (page) => {
      await press('More')(page);
      await page.getByRole('menuitem', { name: /^Delete output/ }).click();
      await page.getByRole('dialog', { name: 'Delete output?' }).waitFor();
    }),
    name: 'job-failed-delete-output',
  },
  {
    ...tab('failed', 'details', async (page) => await shown(page, 'was deleted on')),
    name: 'job-failed-output-deleted',
    before: stubDeletedOutput,
  },
  tab('running', 'log', async (page) => await shown(page, 'page 3')),
  tab('failed', 'log', async (page) => await shown(page, 'two links lead nowhere')),
  tab('waiting', 'details'),
  tab('draft', 'details'),
  tab('cancelled', 'details'),
  {
    name: 'compare',
    path: (jobs) => `/compare?a=${jobs.agent}&b=${jobs.ended}`,
    before: stubComparedChanges,
    act: async (page) => await page.locator('.diff-rows').nth(2).waitFor(),
  },
  {
    name: 'compare-missing',
    path: (jobs) => `/compare?a=job_4k2q0v9m6s8x1c3b5n7h2j4d6f&b=${jobs.failed}:4`,
    act: async (page) => await shown(page, 'A comparison needs both sides'),
  },
  { name: 'compare-nothing', path: () => '/compare' },
  {
    name: 'automations-in-each-state',
    path: () => '/automations',
    before: stubAutomations,
    act: async (page) => await shown(page, 'Its last 5 jobs have failed'),
  },
  {
    name: 'automations-none',
    path: () => '/automations',
    before: emptyLists,
    act: async (page) => await shown(page, 'No automations yet'),
  },
  {
    name: 'automations-calendar',
    path: () => '/automations/-/calendar',
    before: stubAutomations,
    act: async (page) => await shown(page, 'Probe of the shop'),
  },
  {
    name: 'automations-new',
    path: () => '/automations/-/new',
    act: async (page) => await page.getByRole('columnheader', { name: 'UTC' }).waitFor(),
  },
  {
    name: 'automations-new-zone',
    path: () => '/automations/-/new',
    act: async (page) => {
      await page.getByRole('button', { name: /^Time zone/ }).click();
      await page.getByLabel('Find a time zone').fill('tok');
      await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
      await page.getByRole('columnheader', { name: 'Asia/Tokyo' }).waitFor();
    },
  },
  {
    name: 'automations-rejected',
    path: () => '/automations/-/new',
    act: async (page) => {
      await press('Create automation')(page);
      await shown(page, 'The automation was not saved');
    },
  },
  {
    name: 'automations-edit',
    path: () => '/automations/nightly/edit',
    before: stubAutomations,
    act: async (page) => await page.getByLabel('Enabled until').waitFor(),
  },
  {
    name: 'automations-one',
    path: () => '/automations/nightly',
    before: stubAutomations,
    act: async (page) => await shown(page, 'Run by hand'),
  },
  {
    name: 'automations-paused',
    path: () => '/automations/triage',
    before: stubAutomations,
    act: async (page) => await shown(page, '5 of 5'),
  },
  {
    name: 'events-of-each-type',
    path: () => '/events?since=7d',
    before: stubEvents({ missed: true }),
    act: async (page) => await shown(page, 'Question not answered in time'),
  },
  {
    name: 'events-many',
    path: () => '/events?type=job.failed,question.opened&since=2026-11-20T10:00:00Z',
    before: stubEvents({ total: 12_000 }),
    act: async (page) => await shown(page, '(10,000+)'),
  },
  {
    name: 'events-none',
    path: () => '/events?project=handbook',
    before: stubEvents({ total: 0 }),
    act: async (page) => await shown(page, 'No matching events in this time'),
  },
  {
    name: 'events-unreachable',
    path: () => '/events',
    before: stubEvents({ failsAfter: 1 }),
    act: async (page) => await shown(page, 'Not up to date'),
  },
  {
    name: 'automations-event-form',
    path: () => '/automations/-/new',
    act: async (page) => {
      await page.getByLabel('When something happens to a job').check();
      await page.getByLabel('Only of the project').waitFor();
    },
  },
  {
    name: 'automations-template-form',
    path: () => '/automations/upgrade/edit',
    before: stubAutomations,
    act: async (page) => await page.getByLabel('package').waitFor(),
  },
  {
    name: 'automations-hook',
    path: () => '/automations/issues',
    before: stubAutomations,
    act: async (page) => await shown(page, 'Filtered out'),
  },
  {
    name: 'automations-hook-test',
    path: () => '/automations/issues',
    before: stubAutomations,
    act: asks('Send test delivery'),
  },
  {
    name: 'automations-hook-secret',
    path: () => '/automations/issues',
    before: stubAutomations,
    act: asks('Replace secret'),
  },
  {
    name: 'automations-hook-form',
    path: () => '/automations/issues/edit',
    before: stubAutomations,
    act: async (page) => await shown(page, 'Values for the prompt'),
  },
  {
    name: 'subscriptions-in-each-state',
    path: () => '/subscriptions',
    before: stubSubscriptions,
    act: async (page) => await shown(page, 'The person has blocked the bot'),
  },
  {
    name: 'subscriptions-one',
    path: () => '/subscriptions/on-call',
    before: stubSubscriptions,
    act: async (page) => {
      await press('Send test')(page);
      await shown(page, 'The test has arrived');
    },
  },
  {
    name: 'subscriptions-failing',
    path: () => '/subscriptions/leads',
    before: stubSubscriptions,
    act: async (page) => {
      await press('Send test')(page);
      await shown(page, 'The test has not arrived');
    },
  },
  {
    name: 'subscriptions-new',
    path: () => '/subscriptions/-/new?to=telegram',
    act: async (page) => {
      await page.getByRole('radio', { name: 'Chosen events' }).check();
      await press('Create subscription')(page);
    },
  },
  {
    name: 'subscriptions-edit',
    path: () => '/subscriptions/dashboard/edit',
    before: stubSubscriptions,
    act: async (page) => await page.getByLabel('URL').waitFor(),
  },
  {
    name: 'exports-in-each-state',
    path: () => '/exports',
    before: stubExports,
    act: async (page) => await shown(page, 'five attempts got no further'),
  },
  {
    name: 'exports-new',
    path: () => '/exports?new=jobs&project=handbook&created_after=2026-11-01T00%3A00%3A00Z',
    act: async (page) => await page.getByRole('dialog', { name: 'New export' }).waitFor(),
  },
  { name: 'job-unknown', path: () => '/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f' },
  { name: 'unknown-page', path: () => '/stats/nowhere' },
  {
    name: 'edit-diff',
    path: (jobs) => `/jobs/${jobs.waiting}/edit`,
    act: async (page) => {
      await page
        .getByLabel('Prompt', { exact: true })
        .fill('Rename the settings page\nand its links\ndrill: usage-limit 900');
      await page.getByLabel('Priority').fill('7');
      await asks('Review and save')(page);
    },
  },
  {
    name: 'diagrams-list',
    path: () => '/diagrams?project=storefront',
    act: async (page) => await shown(page, 'order-flow'),
  },
  {
    name: 'diagrams-drawn',
    path: () => '/diagrams?project=storefront&name=order-flow',
    act: async (page) => await page.frameLocator('iframe').getByText('Invoice').waitFor(),
  },
  {
    name: 'diagrams-fault',
    path: () => '/diagrams?project=storefront&name=half-done',
    act: async (page) => await shown(page, "Line 3 can't be drawn"),
  },
  { name: 'diagrams-new', path: () => '/diagrams?project=storefront', act: asks('New diagram') },
  { name: 'new-job-from', path: (jobs) => `/jobs/new?from=${jobs.agent}`, act: press(/^Prompt as sent/) },
  { name: 'new-job-faults', path: () => '/jobs/new', act: press('Queue job') },
  { name: 'palette', path: () => '/jobs', act: asks('Command palette') },
  {
    name: 'palette-found',
    path: () => '/jobs',
    act: async (page) => {
      await asks('Command palette')(page);
      await page.getByRole('combobox').fill('set');
      await page.getByRole('option', { name: 'Rename the settings page' }).waitFor();
    },
  },
  {
    name: 'talk-inbox',
    path: () => '/questions',
    before: stubQuestions,
    act: async (page) => await shown(page, 'Asked'),
  },
  {
    name: 'talk-job',
    path: (jobs) => `/jobs/${jobs.waiting}?tab=details`,
    before: stubTalk,
    act: async (page) => await shown(page, 'Not delivered'),
  },
  {
    name: 'retry-choice',
    path: (jobs) => `/jobs/${jobs.agent}?tab=details`,
    before: stubFailure,
    act: async (page) => {
      await page.getByRole('button', { name: 'Other ways to retry' }).waitFor();
    },
  },
  { name: 'terminal-jobs', path: () => '/jobs?status=FAILED&tag=nightly', act: fromTerminal },
  { name: 'terminal-job', path: (jobs) => `/jobs/${jobs.ended}`, act: fromTerminal },
  { name: 'terminal-tokens', path: () => '/api-tokens', act: fromTerminal },
  { name: 'shortcuts', path: () => '/jobs', act: asks('Keyboard shortcuts') },
  {
    name: 'bulk-preview',
    path: () => '/jobs',
    act: async (page) => {
      // It is disabled until the jobs are loaded, and covered by its visible part.
      await page.locator('input[type=checkbox][aria-label^="Select all jobs"]:enabled').first().check({ force: true });
      await asks('Cancel jobs')(page);
    },
  },
  { name: 'stats-month', path: () => '/stats', before: stubMonth },
  {
    name: 'account-code',
    path: () => '/account',
    before: async (page) =>
      await stubAccount('awaiting_user', {
        user_code: 'WXYZ-12345',
        verification_uri: 'https://auth.example.com/codex/device',
        expires_at: inTenMinutes(),
      })(page),
  },
  {
    name: 'account-linked',
    path: () => '/account',
    before: stubAccount('linked', { logged_in: true, account: 'team@example.com' }),
  },
  {
    name: 'account-failed',
    path: () => '/account',
    before: stubAccount('failed', { error: 'The vendor refused the login.' }),
  },
  {
    name: 'viewer',
    path: () => '/api-tokens',
    before: asViewer,
  },
  { name: 'new-token', path: () => '/api-tokens', act: asks('Create token') },
  { name: 'made-token', path: () => '/api-tokens', act: makes('Create token', 'Name', 'nightly build') },
  { name: 'new-binding', path: () => '/bindings', act: asks('Create binding') },
  {
    name: 'mistyped-project',
    path: () => '/bindings',
    act: async (page) => {
      await asks('Create binding')(page);
      await page.getByLabel('Project').fill('storefrnt');
      await page.getByLabel('URL').fill('https://ci.example.com/hook');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await shown(page, 'Did you mean');
    },
  },
  { name: 'template', path: () => '/templates/upgrade', act: async (page) => await shown(page, 'Saved') },
  {
    name: 'template-compare',
    path: () => '/templates/upgrade?version=2&with=1',
    act: async (page) => await shown(page, 'Changes from version 1'),
  },
  {
    name: 'template-old',
    path: () => '/templates/upgrade?version=1',
    act: async (page) => await shown(page, 'The newest is'),
  },
  { name: 'template-missing', path: () => '/templates/upgarde', act: async (page) => await shown(page, 'There is no') },
  {
    name: 'template-run',
    path: () => '/templates/upgrade/run',
    act: async (page) => {
      await page.getByLabel('package').fill('react-router');
      await press('Preview')(page);
      await shown(page, 'Upgrade react-router by one minor version.');
    },
  },
  {
    name: 'template-run-faults',
    path: () => '/templates/upgrade/run',
    act: async (page) => {
      await page.getByLabel('package').fill('React Router');
      await page.getByLabel('files').fill('few');
      await press('Preview')(page);
      await shown(page, 'Check package, files.');
    },
  },
  { name: 'template-new', path: () => '/templates/-/new', act: press('Add parameter') },
  {
    name: 'template-edit',
    path: () => '/templates/upgrade/edit',
    act: async (page) => await shown(page, 'Edit template upgrade'),
  },
  { name: 'template-delete', path: () => '/templates', act: asks('Delete upgrade') },
  {
    ...tab('ended', 'details', async (page) => await shown(page, 'Run with other values')),
    name: 'job-of-template',
    before: stubTemplate,
  },
  { name: 'reference-search', path: () => '/reference?search=retry' },
  {
    name: 'reference-operation',
    path: () => '/reference/importConfig',
    act: async (page) => await press('Fields of profiles')(page),
  },
  { name: 'reference-unknown', path: () => '/reference/guessJobs?search=no+such+thing' },
  { name: 'new-rule', path: () => '/rules/new' },
  {
    name: 'review-rule',
    path: () => '/rules/house-style/edit',
    act: async (page) => {
      await page.getByLabel('Text', { exact: true }).fill('Follow the conventions of the repository.');
      await asks('Review')(page);
      await shown(page, 'draft or queued job');
    },
  },
  {
    name: 'new-profile-faults',
    path: () => '/profiles/new',
    act: async (page) => {
      await page.getByLabel('Retries').fill('many');
      await press('Add variable')(page);
      await page.getByRole('textbox', { name: 'Variable' }).fill('LD_PRELOAD');
      await press('Review')(page);
    },
  },
  { name: 'edit-profile', path: () => '/profiles/ship/edit' },
  {
    name: 'delete-profile',
    path: () => '/profiles',
    act: async (page) => {
      await asks('Delete review')(page);
      await shown(page, 'draft or queued job');
    },
  },
  {
    name: 'platform',
    path: () => '/environment',
    act: async (page) => {
      await press(/^Not in this version/)(page);
      await press(/^Stores and version/)(page);
      await shown(page, 'There is no table of prices.');
    },
  },
  {
    name: 'parameters',
    path: () => '/projects',
    act: async (page) => {
      await asks('Parameters of storefront')(page);
      await shown(page, 'PROMPTQ_PARAM_REGION');
    },
  },
  {
    name: 'parameters-secret',
    path: () => '/projects',
    act: async (page) => {
      await asks('Parameters of storefront')(page);
      await page.getByLabel('Name').fill('db_password');
      await page.getByLabel('Value').fill('hunter2');
      await page.getByRole('button', { name: 'Set parameter' }).click();
      await shown(page, 'names a secret');
    },
  },
  {
    name: 'parameters-none',
    path: () => '/projects',
    before: asViewer,
    act: async (page) => {
      await asks('Parameters of handbook')(page);
      await shown(page, 'The project has no parameters.');
    },
  },
  { name: 'delete-project', path: () => '/projects', act: asks('Delete storefront') },
  { name: 'user-menu', path: () => '/jobs', act: press(/admin@promptq/) },
  {
    name: 'list-filters',
    path: () => '/jobs?project=storefront&created_after=2026-01-02T10:00:00Z&tag=nightly',
    act: async (page) => {
      await press('Filters')(page);
      await page.getByLabel('Created by').waitFor();
    },
  },
  { name: 'list-settings', path: () => '/jobs', act: asks('List settings') },
  { name: 'saved-filters', path: () => '/jobs?status=FAILED', act: press('Saved filters') },
  {
    name: 'configuration-faults',
    path: () => '/configuration',
    act: async (page) => {
      await page
        .getByLabel('Document')
        .fill('rules:\n  - id: "has blanks"\n    text: x\nprofiles:\n  - name: review\n    agent: nobody');
      await press('Check')(page);
      await shown(page, 'Nothing was changed');
    },
  },
  ...['jobs', 'projects', 'templates', 'rules', 'bindings', 'audit', 'stats', 'environment', 'reference'].map(
    (page): Scene => ({
      name: `error-${page}`,
      path: () => `/${page}`,
      before: rejectRequests(500, fault),
      act: failed,
    }),
  ),
  {
    name: 'out-of-date',
    path: () => '/jobs',
    act: async (page) => {
      await rejectRequests(503, { error: 'unavailable' })(page);
      await shown(page, 'This page is out of date');
    },
  },
  { name: 'empty-jobs', path: () => '/jobs', before: emptyLists, act: noJobs },
  ...['projects', 'templates', 'rules', 'bindings', 'audit', 'api-tokens'].map(
    (page): Scene => ({ name: `empty-${page}`, path: () => `/${page}`, before: emptyLists }),
  ),
  {
    name: 'empty-jobs-viewer',
    path: () => '/jobs',
    before: async (page) => {
      await emptyLists(page);
      await asViewer(page);
    },
    act: noJobs,
  },
  { name: 'empty-jobs-filtered', path: () => '/jobs?search=nothing', before: emptyLists },
  ...['jobs', 'rules', 'stats', 'environment'].map(
    (page): Scene => ({ name: `loading-${page}`, path: () => `/${page}`, before: neverRespond }),
  ),
  {
    name: 'session-over',
    path: () => '/jobs',
    act: async (page) => {
      await rejectRequests(401, { error: 'unauthorized' })(page);
      await shown(page, 'Your session has ended');
    },
  },
];
