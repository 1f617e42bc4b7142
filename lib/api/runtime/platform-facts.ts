import type { PlatformView } from '../../contract/schemas/platform.ts';
import type { Core } from './core.ts';
import { deploymentFacts } from './services.ts';

/** What a deployment knows about itself, without secrets and without names of its resources. */
export async function platformFacts(core: Core) {
  const { env, serviceEndpoints } = core;
  return {
    ...deploymentFacts(core),
    commit: env.PROMPTQ_COMMIT ?? null,
    agents: env.PROMPTQ_AGENTS,
    features: featuresOf(env, (await serviceEndpoints.registration()) !== undefined),
  };
}

function featuresOf(env: Core['env'], hasSignIn: boolean): PlatformView['features'] {
  const days = (count: number, what: string) => (count > 0 ? `${what} after ${count} days` : 'kept');
  const [isCloudFront, isPractice] = [env.PROMPTQ_ORIGIN_DIGESTS.length > 0, env.PROMPTQ_VENDOR === 'practice'];
  const sandboxes = env.PROMPTQ_SANDBOXES.filter((name) => name !== 'none');
  return [
    {
      name: 'cloudfront',
      on: isCloudFront,
      detail: isCloudFront
        ? 'requests must come through the distribution of the deployment'
        : 'no distribution is required',
    },
    {
      name: 'deploy-commands',
      on: env.PROMPTQ_DEPLOY_COMMANDS,
      detail: `deploy bindings ${env.PROMPTQ_DEPLOY_COMMANDS ? 'can' : "can't"} run commands`,
    },
    { name: 'followed-logs', on: env.PROMPTQ_FOLLOW_STREAMS > 0, detail: `${env.PROMPTQ_FOLLOW_STREAMS} at once` },
    {
      name: 'linked-accounts',
      on: env.PROMPTQ_ACCOUNT_VENDORS.length > 0,
      detail: env.PROMPTQ_ACCOUNT_VENDORS.join(', ') || 'none',
    },
    {
      name: 'practice-vendor',
      on: isPractice,
      detail: isPractice ? 'no model is called' : "the vendors' models are called",
    },
    {
      name: 'retention',
      on: env.PROMPTQ_RETENTION_DAYS > 0,
      detail: `ended jobs: ${days(env.PROMPTQ_RETENTION_DAYS, 'deleted')}`,
    },
    { name: 'sandboxes', on: sandboxes.length > 0, detail: sandboxes.join(', ') || 'the container is the sandbox' },
    { name: 'sign-in', on: hasSignIn, detail: hasSignIn ? 'people sign in to the console' : 'people use tokens' },
    { name: 'telegram', on: env.PROMPTQ_TELEGRAM_USERS !== '', detail: 'the Mini App of Telegram' },
    {
      name: 'token-rate',
      on: env.PROMPTQ_TOKEN_RATE > 0,
      detail: env.PROMPTQ_TOKEN_RATE > 0 ? `${env.PROMPTQ_TOKEN_RATE} requests a second` : 'no limit',
    },
    {
      name: 'token-scopes',
      on: env.PROMPTQ_API_SCOPE_ENFORCE,
      detail: env.PROMPTQ_API_SCOPE_ENFORCE ? 'a token is limited to its scopes' : 'every token has full access',
    },
    {
      name: 'workspace-cleanup',
      on: env.PROMPTQ_WORKSPACE_DAYS > 0,
      detail: `private folders: ${days(env.PROMPTQ_WORKSPACE_DAYS, 'deleted')}`,
    },
  ];
}
