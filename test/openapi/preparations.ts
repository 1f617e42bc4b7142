import { createJob, untilEnded } from '../api/job-client.ts';
import { Browser } from '../local-run/browser.ts';
import { type ServiceUnderTest, waitFor } from '../local-run/local-service.ts';
import type { Operation } from './operations.ts';

/** What an operation needs beyond what its description says, so that it can succeed. */
export interface Preparation {
  /** Values of the path's parameters that exist, in a state that the operation works on. */
  readonly params?: () => Promise<Readonly<Record<string, string>>>;
  /** Headers without which it does not succeed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the query without which it does not succeed. */
  readonly query?: Readonly<Record<string, string>>;
  /** A body that surely succeeds; default: what the description requires. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Members that generated bodies get too, whatever was generated. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Further requests that surely succeed, such as those for another media type. */
  readonly also?: readonly { readonly query?: Record<string, string>; readonly headers?: Record<string, string> }[];
  /** Declared statuses below 500 that are not to be reached here, each with the reason. */
  readonly unreached?: Readonly<Record<number, string>>;
}

/** Declared of every operation, and not to be reached here. */
export const EVERYWHERE_UNREACHED = {
  408: 'the gateway answers it for every address alike: test/lib/local/gateway/gateway.test.ts',
  429: 'needs a service with a rate: test/api/access/rate-limits.test.ts',
  431: 'the gateway answers it for every address alike: test/lib/local/gateway/gateway.test.ts',
};

const REDIRECT = { 303: 'needs 20 MB of output: test/nightly/large-output.test.ts' };

const OTHER_VENDOR = { 404: 'needs a deployment without the vendor: test/api/access/vendor-account.test.ts' };

/** Prepares a service with one slot for requests. It has everything that generated requests can't know. */
/** @param admin signed in as an administrator. */
export function prepare(service: ServiceUnderTest, admin: Browser) {
  const jobs = new PreparedJobs(service);
  const {
    project,
    emptyProject,
    diagram,
    binding,
    automation,
    hook,
    subscription,
    delivery,
    template,
    token,
    session,
    exported,
  } = preparedThings(service, admin);
  // One for all: a project can have only so many.
  let acting: Promise<string> | undefined;
  const actingBinding = async () => {
    acting ??= binding('local_project');
    return await acting;
  };
  const shell = { prompt: 'true', profile: 'shell', draft: true };
  /** By operation; what is not here needs nothing. */
  const byOperation: Readonly<Record<string, Preparation>> = {
    createJobs: { body: shell, fixed: { profile: 'shell', draft: true } },
    editJobs: { params: jobs.queued, body: { priority: 3 } },
    replaceJobs: { params: jobs.queued, body: { priority: 3 } },
    editDraftJobs: { params: jobs.draft, body: { priority: 3 }, fixed: { profile: 'shell', project: undefined } },
    deleteJobs: { params: jobs.draft },
    submitJobs: { params: jobs.draft },
    cancelJobs: { params: jobs.draft },
    killJobs: { params: jobs.running },
    retryJobs: { params: jobs.cancelled },
    removeJobs: { params: jobs.cancelled },
    deleteOutputJobs: { params: jobs.cancelled },
    resultJobs: { unreached: REDIRECT },
    logsJobs: { unreached: REDIRECT, also: [{ query: { follow: '1' }, headers: { accept: 'text/event-stream' } }] },
    createMessages: { params: jobs.queuedForAgent, body: { text: 'Be brief.' } },
    callMcp: {
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      fixed: { jsonrpc: '2.0', id: 1, method: 'ping', params: undefined, result: undefined, error: undefined },
      unreached: {
        202: 'needs a notification: test/api/mcp/mcp.test.ts',
        404: 'needs another method: test/api/mcp/mcp.test.ts',
      },
    },
    sessionJobs: { params: jobs.withSession },
    answerJobs: { params: jobs.asking, body: jobs.answer },
    readAttachments: {
      params: async () => ({ ...(await jobs.ended()), name: 'kept.txt' }),
      unreached: { 303: 'needs a file that is too large to be streamed: test/api/output/attachments.test.ts' },
    },
    readFiles: { query: { path: 'kept.txt' } },
    // Of a project in which nothing ever runs.
    writeDeployBindings: {
      body: { binding_mode: 'custom', project_id: UNUSED, name: 'written', command: 'true' },
      fixed: { project_id: UNUSED, project: undefined },
      // The second time it is there already.
      also: [{}],
    },
    deleteDeployBindings: { params: async () => ({ id: await binding(UNUSED) }) },
    retryDeployments: {
      params: async () => ({ ...(await jobs.ended()), binding: await actingBinding() }),
    },
    readDiagrams: { params: diagram, query: { project: UNUSED } },
    writeDiagrams: {
      params: async () => ({ name: 'written' }),
      query: { project: UNUSED },
      body: { text: 'flowchart LR\n  a --> b' },
      fixed: { source_job: undefined },
      // The second time it is there already.
      also: [{}],
    },
    deleteDiagrams: { params: diagram, query: { project: UNUSED } },
    deleteProjects: { params: emptyProject },
    editProjects: { params: project, body: { exclusive_cwd: false } },
    // The second time it is there already.
    writeParameters: {
      params: async () => ({ name: 'written' }),
      query: { project: UNUSED },
      body: { value: 'eu' },
      also: [{}],
    },
    deleteParameters: {
      params: async () => {
        await service.api('PUT', `/parameters/goes?project=${UNUSED}`, { value: 'eu' });
        return { name: 'goes' };
      },
      query: { project: UNUSED },
    },
    readCodexAccount: { unreached: OTHER_VENDOR },
    startCodexAccount: { unreached: OTHER_VENDOR },
    cancelCodexAccount: {
      params: async () => {
        await service.api('POST', '/codex-account/start');
        return {};
      },
      unreached: OTHER_VENDOR,
    },
    logoutCodexAccount: { unreached: OTHER_VENDOR },
    deleteRules: {
      params: async () => {
        await service.api('POST', '/config/import', { rules: [{ id: 'goes', text: 'Be brief.' }] });
        return { id: 'goes' };
      },
    },
    deleteProfiles: {
      params: async () => {
        await service.api('POST', '/config/import', { profiles: [{ name: 'goes', agent: 'shell' }] });
        return { name: 'goes' };
      },
    },
    readTemplates: { params: template },
    versionsTemplates: { params: template },
    // The second time it is there already.
    writeTemplates: { params: async () => ({ name: 'written' }), body: { prompt: 'Be brief.' }, also: [{}] },
    renderTemplates: { params: template, fixed: { profile: undefined, parameters: undefined, template_version: 1 } },
    deleteTemplates: { params: template },
    importConfig: { body: { rules: [{ id: 'imported', text: 'Be brief.' }] } },
    createExports: { body: { kind: 'jobs', format: 'jsonl' } },
    readExports: { params: exported },
    deleteExports: { params: exported },
    createAutomations: {
      body: { ...AN_AUTOMATION, name: 'Made' },
      fixed: AN_AUTOMATION,
      also: [{ query: { dry_run: '1' } }],
    },
    editAutomations: { params: automation, body: { enabled: false }, fixed: { trigger: undefined, job: undefined } },
    readAutomations: { params: automation },
    deleteAutomations: { params: automation },
    createSubscriptions: { body: { ...A_SUBSCRIPTION, name: 'Made' }, fixed: A_SUBSCRIPTION },
    readSubscriptions: { params: subscription },
    editSubscriptions: {
      params: subscription,
      body: { digest: 'hourly' },
      fixed: { target: undefined, rotate_secret: undefined },
    },
    deleteSubscriptions: { params: subscription },
    testSubscriptions: { params: subscription },
    deliveriesSubscriptions: { params: subscription },
    resendSubscriptions: { params: delivery },
    runsAutomations: { params: automation },
    runAutomations: { params: automation },
    deliveriesAutomations: { params: automation },
    deliverAutomations: { params: hook, body: { body: '{}' }, fixed: { body: '{}' } },
    resendAutomations: {
      params: async () => {
        const { id } = await hook();
        const { json } = await service.api('POST', `/automations/${id}/deliveries`, { body: '{}' });
        return { id, delivery: json.id };
      },
    },
    secretAutomations: { params: hook },
    createTokens: { body: { name: 'made' } },
    suspendTokens: { params: token },
    resumeTokens: {
      params: async () => {
        const { id } = await token();
        await admin.api('POST', `/tokens/${id}/suspend`);
        return { id };
      },
    },
    revokeTokens: { params: token },
    endSessions: { params: session },
  };
  /** By the beginning of the path, the longest that fits: values that exist. */
  const byPath: Readonly<Record<string, Preparation['params']>> = { '/api/v1/jobs/{id}': jobs.ended };

  return (operation: Operation): Preparation & Required<Pick<Preparation, 'params'>> => {
    const own = byOperation[operation.id] ?? {};
    const [prefix] = Object.keys(byPath)
      .filter((path) => operation.path.startsWith(path))
      .toSorted((a, b) => b.length - a.length);
    const params = own.params ?? (prefix === undefined ? undefined : byPath[prefix]);
    if (params === undefined && operation.path.includes('{'))
      throw new Error(
        `${operation.id} (${operation.path}) needs parameters of its path: say in preparations.ts whence`,
      );
    return { ...own, params: params ?? (async () => ({})) };
  };
}

/** A project of which no job ever runs: whatever is written about it does nothing. */
const UNUSED = 'unused';

/** Resources other than jobs, created each time so that they can be used up. */
/** Its job runs nothing. */
const AN_AUTOMATION = {
  trigger: { schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } },
  job: { prompt: 'true', profile: 'shell' },
};

/** It sends nothing. */
const A_SUBSCRIPTION = { target: { webhook: { url: 'https://hooks.example.com/' } }, enabled: false };

function preparedThings(service: ServiceUnderTest, admin: Browser) {
  let made = 0;
  const subscription = async () => {
    made += 1;
    const { json } = await service.api('POST', '/subscriptions', { ...A_SUBSCRIPTION, name: `Made ${made}` });
    return { id: String(json.id) };
  };
  return {
    // Only so many run at a time.
    exported: async () => {
      const { json } = await service.api('GET', '/exports');
      for (const { id } of json.items) await service.api('DELETE', `/exports/${id}`);
      const { json: made } = await service.api('POST', '/exports', { kind: 'usage', format: 'jsonl' });
      return { id: String(made.id) };
    },
    project: async () => {
      await createJob(service, { prompt: 'true', profile: 'shell', draft: true, project: UNUSED });
      return { id: UNUSED };
    },
    diagram: async () => {
      await service.api('PUT', `/diagrams/drawn?project=${UNUSED}`, { text: 'flowchart LR\n  a --> b' });
      return { name: 'drawn' };
    },
    binding: async (project: string): Promise<string> => {
      made += 1;
      const body = { binding_mode: 'custom', project, name: `made ${made}`, command: 'true' };
      return (await service.api('POST', '/deploy-bindings', body)).json.id;
    },
    automation: async () => {
      made += 1;
      const { json } = await service.api('POST', '/automations', { ...AN_AUTOMATION, name: `Made ${made}` });
      return { id: json.id };
    },
    hook: async () => {
      made += 1;
      const trigger = { hook: { verify: { style: 'github' }, drafts: true } };
      const job = { prompt: 'true', profile: 'practice' };
      const { json } = await service.api('POST', '/automations', { name: `Made ${made}`, trigger, job });
      return { id: json.id };
    },
    subscription,
    delivery: async () => {
      const { id } = await subscription();
      const { json } = await service.api('POST', `/subscriptions/${id}/test`);
      return { id, delivery: String(json.id) };
    },
    emptyProject: async () => {
      made += 1;
      const project = `empty-${made}`;
      const body = { binding_mode: 'custom', project, name: 'only', command: 'true' };
      const { json } = await service.api('POST', '/deploy-bindings', body);
      await service.api('DELETE', `/deploy-bindings/${json.id}`);
      return { id: project };
    },
    template: async () => {
      await service.api('PUT', '/templates/goes', { prompt: 'Be brief.' });
      return { name: 'goes' };
    },
    token: async () => ({ id: (await admin.api('POST', '/tokens', { name: 'used up' })).json.id }),
    session: async () => {
      const browser = new Browser(service);
      await browser.signIn('viewer');
      return { id: (await browser.api('GET', '/session')).json.session_id };
    },
  };
}

/** Jobs in each state, made when they are first asked for; the one slot is kept busy so that what is QUEUED stays so. */
class PreparedJobs {
  readonly #service: ServiceUnderTest;
  #ended: string | undefined;
  #withSession: string | undefined;
  #asking: string | undefined;
  #queued: string | undefined;
  #running: string | undefined;

  constructor(service: ServiceUnderTest) {
    this.#service = service;
  }

  readonly ended = async () => {
    if (this.#ended === undefined) {
      if (this.#running !== undefined) await this.#service.api('POST', `/jobs/${this.#running}/kill`);
      this.#running = undefined;
      this.#ended = await createJob(this.#service, {
        prompt: 'echo done; echo kept | tee kept.txt > "$PROMPTQ_ATTACHMENTS/kept.txt"',
        profile: 'shell',
        priority: 9,
      });
      await untilEnded(this.#service, this.#ended);
    }
    return { id: this.#ended };
  };

  /** The session of its agent is stored. */
  readonly withSession = async () => {
    if (this.#withSession === undefined) {
      if (this.#running !== undefined) await this.#service.api('POST', `/jobs/${this.#running}/kill`);
      this.#running = undefined;
      this.#withSession = await createJob(this.#service, { prompt: 'drill: json {}', priority: 9 });
      await untilEnded(this.#service, this.#withSession);
    }
    return { id: this.#withSession };
  };

  /** A body of the answer to the question that `asking` prepared. */
  readonly answer = { question_id: 'q_none', answer: 'The new one.' };

  readonly asking = async () => {
    if (this.#asking === undefined) {
      if (this.#running !== undefined) await this.#service.api('POST', `/jobs/${this.#running}/kill`);
      this.#running = undefined;
      this.#asking = await createJob(this.#service, { prompt: 'drill: ask Which one?', priority: 9 });
      const question = async () => (await this.#service.api('GET', `/jobs/${this.#asking}`)).json.question;
      await waitFor(async () => (await question()) !== null);
      this.answer.question_id = (await question()).id;
    }
    return { id: this.#asking };
  };

  readonly draft = async () => ({
    id: await createJob(this.#service, { prompt: 'true', profile: 'shell', draft: true }),
  });

  readonly cancelled = async () => {
    const { id } = await this.draft();
    await this.#service.api('POST', `/jobs/${id}/cancel`);
    return { id };
  };

  readonly queued = async () => {
    await this.running();
    if (this.#queued === undefined || (await this.#statusOf(this.#queued)) !== 'QUEUED')
      this.#queued = await createJob(this.#service, { prompt: 'true', profile: 'shell', priority: -9 });
    return { id: this.#queued };
  };

  readonly queuedForAgent = async () => {
    await this.running();
    return { id: await createJob(this.#service, { prompt: 'hello', profile: 'practice', priority: -9 }) };
  };

  readonly running = async () => {
    if (this.#running === undefined || (await this.#statusOf(this.#running)) !== 'RUNNING') {
      const id = await createJob(this.#service, { prompt: 'sleep 600', profile: 'shell', priority: 9 });
      await waitFor(async () => (await this.#statusOf(id)) === 'RUNNING');
      this.#running = id;
    }
    return { id: this.#running };
  };

  async #statusOf(id: string): Promise<string> {
    return (await this.#service.api('GET', `/jobs/${id}/status`)).json.status;
  }
}
