import { TOOL_SERVER, TOOL_START_SECONDS, TOOL_TIMEOUT_SECONDS } from '../commands/tool-access.ts';
import type { AgentRun } from './agent.ts';

/** The variable with the key of `run.vendor`, which tools don't see. */
export const VENDOR_KEY = 'PROMPTQ_VENDOR_API_KEY';

/**
 * `config.toml` for one attempt: codex talks only to its vendor, and its tools see the attempt's environment without
 * the variables that are hidden from them. codex would itself hide others, by parts of their names.
 */
export function codexConfig({
  vendor,
  practiceUrl,
  env,
  hidden,
  tools,
}: Pick<AgentRun, 'vendor' | 'practiceUrl' | 'env' | 'hidden' | 'tools'>): string {
  const baseUrl = vendor?.baseUrl ?? practiceUrl;
  return [
    ...(baseUrl === undefined ? [] : [`model_provider = "${PROVIDER}"`]),
    ...(practiceUrl === undefined ? [] : [chatgptAt(practiceUrl)]),
    ...QUIET,
    '[shell_environment_policy]',
    'inherit = "all"',
    'ignore_default_excludes = true',
    `exclude = [${[...hidden, VENDOR_KEY].map(tomlString).join(', ')}]`,
    ...(env.PROMPTQ_ATTACHMENTS === undefined
      ? []
      : ['[sandbox_workspace_write]', `writable_roots = [${tomlString(env.PROMPTQ_ATTACHMENTS)}]`]),
    ...(env.TZ === undefined ? [] : ['[shell_environment_policy.set]', `TZ = ${tomlString(env.TZ)}`]),
    ...(baseUrl === undefined ? [] : providerOf(baseUrl)),
    // With codex's login instead of a key from the worker.
    ...(baseUrl === undefined
      ? []
      : [vendor === undefined ? 'requires_openai_auth = true' : `env_key = "${VENDOR_KEY}"`]),
    ...(tools === undefined ? [] : serverOf(tools)),
    '',
  ].join('\n');
}

/** `config.toml` for the commands that make or end a login. */
export function codexLoginConfig(practiceUrl: string | undefined): string {
  return [...(practiceUrl === undefined ? [] : [chatgptAt(practiceUrl)]), ...QUIET, ''].join('\n');
}

/** After a login codex also calls ChatGPT's servers. */
function chatgptAt(practiceUrl: string): string {
  return `chatgpt_base_url = ${tomlString(new URL('/backend-api/', practiceUrl).href)}`;
}

const PROVIDER = 'promptq';

/** Without these, 0.169.0 also connects to github.com, api.github.com and chatgpt.com. */
const QUIET = [
  'check_for_update_on_startup = false',
  // Never in a keyring of the machine's owner.
  'cli_auth_credentials_store = "file"',
  // A login shell, or its snapshot, would run the profile files of the machine's owner in every job.
  'allow_login_shell = false',
  '[analytics]',
  'enabled = false',
  '[feedback]',
  'enabled = false',
  '[otel]',
  'exporter = "none"',
  'metrics_exporter = "none"',
  'trace_exporter = "none"',
  '[features]',
  'plugins = false',
  'apps = false',
  'shell_snapshot = false',
];

function providerOf(baseUrl: string): readonly string[] {
  return [
    `[model_providers.${PROVIDER}]`,
    'name = "Promptq"',
    `base_url = ${tomlString(baseUrl)}`,
    'wire_api = "responses"',
    // The queue retries jobs. With codex's default of five retries, a dead vendor takes half a minute to notice.
    'request_max_retries = 1',
    'stream_max_retries = 1',
  ];
}

function serverOf({ url, key }: NonNullable<AgentRun['tools']>): readonly string[] {
  return [
    `[mcp_servers.${TOOL_SERVER}]`,
    `url = ${tomlString(url)}`,
    // Not `bearer_token_env_var`: tools would inherit the variable.
    `http_headers = { Authorization = ${tomlString(`Bearer ${key}`)} }`,
    `startup_timeout_sec = ${TOOL_START_SECONDS}`,
    `tool_timeout_sec = ${TOOL_TIMEOUT_SECONDS}`,
    // No one is there to approve a call.
    'default_tools_approval_mode = "approve"',
  ];
}

/** A TOML basic string: JSON's escapes are a part of TOML's, but TOML also needs DEL escaped and no lone surrogates. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}
