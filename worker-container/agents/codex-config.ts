import type { AgentRun } from './agent.ts';

/** The variable that carries the key of `run.vendor`; it matches the patterns that are kept from tools. */
export const VENDOR_KEY = 'PROMPTQ_VENDOR_API_KEY';

/**
 * `config.toml` for one attempt: codex talks to its vendor and to nobody else, and its tools see the attempt's
 * environment without what looks like a secret. They keep the attempt's mark, by which the worker finds survivors.
 */
export function codexConfig({ vendor, env }: Pick<AgentRun, 'vendor' | 'env'>): string {
  return [
    ...(vendor === undefined ? [] : [`model_provider = "${PROVIDER}"`]),
    ...QUIET,
    ...(env.TZ === undefined ? [] : ['[shell_environment_policy.set]', `TZ = ${tomlString(env.TZ)}`]),
    ...(vendor === undefined ? [] : providerOf(vendor.baseUrl)),
    '',
  ].join('\n');
}

const PROVIDER = 'promptq';

/** Without these 0.169.0 was seen to connect to github.com, api.github.com and chatgpt.com besides its vendor. */
const QUIET = [
  'check_for_update_on_startup = false',
  // A login shell, or the snapshot of one, would run the profile files of whoever owns the machine in every job.
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
  '[shell_environment_policy]',
  'inherit = "all"',
  'exclude = ["*KEY*", "*TOKEN*", "*SECRET*", "*PASSWORD*", "*CREDENTIAL*"]',
];

function providerOf(baseUrl: string): readonly string[] {
  return [
    `[model_providers.${PROVIDER}]`,
    'name = "Promptq"',
    `base_url = ${tomlString(baseUrl)}`,
    'wire_api = "responses"',
    `env_key = "${VENDOR_KEY}"`,
    // The queue retries jobs; with codex's own five a dead vendor takes half a minute to notice.
    'request_max_retries = 1',
    'stream_max_retries = 1',
  ];
}

/** A TOML basic string: JSON's escapes are a part of TOML's, but TOML also wants DEL escaped and no lone surrogates. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}
