import { randomBytes } from 'node:crypto';
import { ApiError, type FieldProblem, InvalidFieldError } from '../../contract/errors.ts';
import type { HookTrigger } from '../../contract/schemas/hook.ts';

/** An automation that is started by a hook. */
export type WithHook<T> = T & { readonly hook: HookTrigger };

interface MayHaveHook {
  readonly hook?: HookTrigger | undefined;
}

export function hasHook<T extends MayHaveHook>(automation: T | undefined): automation is WithHook<T> {
  return automation?.hook !== undefined;
}

/** @throws ApiError `invalid_state` if it has a schedule */
export function requireHook<T extends MayHaveHook>(automation: T): WithHook<T> {
  if (hasHook(automation)) return automation;
  throw ApiError.because('invalid_state', 'the automation has no hook: its trigger is a schedule');
}

/** A new secret of a hook, in the format of Standard Webhooks: 32 random bytes. */
export function newHookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Checks what a schema can't. @throws InvalidFieldError with all faults */
export function checkHook({ verify, delivery_id: place }: HookTrigger): void {
  const problems: FieldProblem[] = [];
  const note = (field: string, problem: string) => problems.push({ fields: [`trigger.hook.${field}`], problem });
  const { style, header, prefix, encoding } = verify;
  const takesHeader = style === 'hmac' || style === 'header_secret';
  if (takesHeader && header === undefined) note('verify.header', `received nothing; the style ${style} needs it`);
  if (!takesHeader && header !== undefined) note('verify.header', `the style ${style} has its own header`);
  if (style !== 'hmac' && prefix !== undefined) note('verify.prefix', 'only the style hmac takes it');
  if (style !== 'hmac' && encoding !== undefined) note('verify.encoding', 'only the style hmac takes it');
  if (place !== undefined && (place.header === undefined) === (place.pointer === undefined))
    note('delivery_id', 'expected either header or pointer');
  if (problems.length > 0) throw new InvalidFieldError(problems);
}
