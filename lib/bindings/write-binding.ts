import { ApiError, InvalidFieldError } from '../contract/errors.ts';
import { checkTemplate } from '../contract/input/editor-link.ts';
import { quoted } from '../contract/input/legible.ts';
import { LIMITS } from '../contract/limits.ts';
import { type BindingView, type BindingWrite, MODE_FIELDS } from '../contract/schemas/deploy-binding.ts';
import { oneName } from '../contract/schemas/jobs/one-name.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { untilFirst } from '../platform/until-first.ts';
import { DEFAULT_PROJECT, type ProjectStore } from '../projects/projects.ts';
import { type BindingSecretStore, generateSecret } from './binding-secrets.ts';
import { type DeployBinding, viewBinding } from './deploy-binding.ts';
import { bindingIdOf, type DeployBindingStore } from './deploy-binding-store.ts';
import type { Reach } from './public-address.ts';
import { checkTarget } from './target-url.ts';

interface WriteBindingContext {
  readonly bindings: DeployBindingStore;
  readonly secrets: BindingSecretStore;
  readonly projects: ProjectStore;
  readonly clock: Clock;
  readonly reach: Reach;
  /** Whether bindings may run commands. */
  readonly commands: boolean;
}

/**
 * Creates or updates a binding by project and name. Absent fields stay unchanged, unless the mode changes: then the
 * fields of the former mode are removed.
 * @returns the binding, with its secret if one was generated.
 * @throws ApiError `invalid_request`
 */
export async function writeBinding(
  context: WriteBindingContext,
  write: BindingWrite,
): Promise<{ view: BindingView; created: boolean }> {
  check(context, write);
  const project = await context.projects.resolve(oneName(write).project ?? DEFAULT_PROJECT);
  const name = write.name ?? write.binding_mode;
  const id = bindingIdOf(project.id, name);
  const made = write.rotate_secret === true ? generateSecret() : undefined;
  return await untilFirst(async () => {
    const known = await context.bindings.get(id);
    if (known === undefined) await checkCount(context, project.id);
    const secret = write.secret ?? made ?? (needsFirstSecret(write, known) ? generateSecret() : undefined);
    const ref = secret === undefined ? undefined : await context.secrets.put(secret);
    const at = timestamp(context.clock.now());
    const next = {
      id,
      project_id: project.id,
      project: project.name,
      name,
      ...fieldsOf(write, known),
      secrets: secretsOf(context, write, { known, ref }),
      created_at: known?.created_at ?? at,
      updated_at: at,
    };
    const written = await context.bindings.replace(known, next);
    if (written === undefined) {
      if (ref !== undefined) await context.secrets.delete(ref);
      return undefined;
    }
    await forget(context, known, written);
    const shown = secret !== undefined && write.secret === undefined ? { secret } : {};
    return { result: { view: { ...viewBinding(written), ...shown }, created: known === undefined } };
  });
}

/** Deletes a binding and its secrets. @throws ApiError `not_found` */
export async function deleteBinding(
  context: Pick<WriteBindingContext, 'bindings' | 'secrets'>,
  id: string,
): Promise<BindingView> {
  let refused: DeployBinding | undefined;
  return await untilFirst(async () => {
    const found = await context.bindings.get(id);
    // A delete whose answer was lost is repeated, and then refused because there is nothing left.
    const known = found ?? refused;
    if (known === undefined) throw ApiError.of('not_found');
    refused = known;
    if (found !== undefined && !(await context.bindings.delete(found))) return undefined;
    for (const { ref } of known.secrets) await context.secrets.delete(ref);
    return { result: viewBinding(known) };
  });
}

function check(context: WriteBindingContext, write: BindingWrite): void {
  const own: readonly string[] = MODE_FIELDS[write.binding_mode];
  for (const field of Object.values(MODE_FIELDS).flat()) {
    if (write[field] !== undefined && !own.includes(field))
      throw InvalidFieldError.of(field, `is no field of mode ${write.binding_mode}; its fields: ${own.join(', ')}`);
  }
  if (!context.commands && (write.binding_mode === 'custom' || write.binding_mode === 'web_framework')) {
    throw InvalidFieldError.of(
      'binding_mode',
      `received ${write.binding_mode}; this deployment's bindings run no commands; allowed: generic, hosted_editor`,
    );
  }
  const { target_url, open_url, secret } = write;
  const target = target_url === undefined ? undefined : checkTarget(target_url, context.reach);
  if (target !== undefined) throw InvalidFieldError.of('target_url', `received ${quoted(target_url)}, which ${target}`);
  const template = open_url === undefined ? undefined : checkTemplate(open_url);
  if (template !== undefined) throw InvalidFieldError.of('open_url', `received ${quoted(open_url)}, which ${template}`);
  const bytes = secret === undefined ? 24 : Buffer.from(secret.slice('whsec_'.length), 'base64').length;
  if (bytes < 24 || bytes > 64)
    throw InvalidFieldError.of('secret', `received ${bytes} bytes; 24 to 64 are allowed, in base64`);
}

async function checkCount({ bindings }: WriteBindingContext, projectId: string): Promise<void> {
  const { perProject } = LIMITS.deployBindings;
  if ((await bindings.list(projectId)).length >= perProject)
    throw InvalidFieldError.of([], `the project has ${perProject} deploy bindings already, the most that are allowed`);
}

function needsFirstSecret({ binding_mode }: BindingWrite, known: DeployBinding | undefined): boolean {
  return binding_mode === 'generic' && (known?.secrets.length ?? 0) === 0;
}

type ModeFields = Pick<
  DeployBinding,
  | 'binding_mode'
  | 'target_url'
  | 'command'
  | 'open_url'
  | 'framework'
  | 'install_command'
  | 'build_command'
  | 'deploy_command'
  | 'timeout_seconds'
>;

function fieldsOf(write: BindingWrite, known: DeployBinding | undefined): ModeFields {
  const before = known?.binding_mode === write.binding_mode ? known : undefined;
  return {
    binding_mode: write.binding_mode,
    target_url: write.target_url ?? before?.target_url,
    command: write.command ?? before?.command,
    open_url: write.open_url ?? before?.open_url,
    framework: write.framework ?? before?.framework,
    install_command: write.install_command ?? before?.install_command,
    build_command: write.build_command ?? before?.build_command,
    deploy_command: write.deploy_command ?? before?.deploy_command,
    timeout_seconds: write.timeout_seconds ?? before?.timeout_seconds,
  };
}

/** Each former secret remains valid for a while, so that a receiver can switch over. */
function secretsOf(
  { clock }: WriteBindingContext,
  { binding_mode }: BindingWrite,
  { known, ref }: { known: DeployBinding | undefined; ref: string | undefined },
): DeployBinding['secrets'] {
  if (binding_mode !== 'generic') return [];
  const [newest, ...former] = known?.secrets ?? [];
  if (ref === undefined) return known?.secrets ?? [];
  const { formerSecretSeconds, secrets } = LIMITS.deployBindings;
  const at = timestamp(clock.now());
  const until = timestamp(clock.now() + formerSecretSeconds * 1000);
  const valid = former.filter((one) => one.until !== undefined && one.until > at);
  return [{ ref }, ...(newest === undefined ? [] : [{ ref: newest.ref, until }]), ...valid].slice(0, secrets);
}

async function forget(
  { secrets }: WriteBindingContext,
  known: DeployBinding | undefined,
  written: DeployBinding,
): Promise<void> {
  const kept = new Set(written.secrets.map(({ ref }) => ref));
  for (const { ref } of known?.secrets ?? []) if (!kept.has(ref)) await secrets.delete(ref);
}
