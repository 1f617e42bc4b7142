import { InvalidFieldError } from '../contract/errors.ts';
import type { Automation } from './automation.ts';
import type { AutomationStore } from './automation-store.ts';
import { newHookSecret, requireHook } from './hooks/hook-trigger.ts';
import { findAutomation } from './write-automation.ts';

interface SecretContext {
  readonly automations: AutomationStore;
}

/** Gives a hook its first secret. Until then, it refuses deliveries. @returns undefined: it has one, or there is no hook */
export async function firstSecret({ automations }: SecretContext, automation: Automation): Promise<string | undefined> {
  if (automation.hook === undefined) return undefined;
  const secret = newHookSecret();
  return (await automations.secrets.add(automation, secret)) ? secret : undefined;
}

/**
 * Replaces the secret of a hook: the old one is invalid at once.
 * @param given the sender's; default: a new one is made
 * @throws ApiError `not_found`, `invalid_state`; InvalidFieldError for a secret that its style can't have
 */
export async function changeSecret(
  context: SecretContext,
  reference: string,
  given: string | undefined,
): Promise<string> {
  const automation = requireHook(await findAutomation(context, reference));
  const isBase64 = given === undefined || /^(whsec_)?[A-Za-z0-9+/]{16,}={0,2}$/.test(given);
  if (automation.hook.verify.style === 'standard_webhooks' && !isBase64)
    throw InvalidFieldError.of('secret', 'expected base64, with or without whsec_ before it');
  const secret = given ?? newHookSecret();
  await context.automations.secrets.put(automation, secret);
  return secret;
}
