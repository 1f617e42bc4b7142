import { LIMITS } from '../../../lib/contract/limits.ts';
import type { MODE_FIELDS } from '../../../lib/contract/schemas/deploy-binding.ts';
import type { Binding } from './binding-queries.ts';

type Mode = Binding['binding_mode'];
/** Labels of a mode's text fields. */
interface FieldWords {
  readonly label: string;
  readonly hint: string;
  readonly isNumber?: true;
}
type ModeWords<M extends Mode> = {
  readonly label: string;
  readonly description: string;
  /** In the form's order, without the switch that renews a secret. */
  readonly fields: Readonly<Record<Exclude<(typeof MODE_FIELDS)[M][number], 'rotate_secret'>, FieldWords>>;
};

/** A field of any mode. */
export type ModeField = Exclude<(typeof MODE_FIELDS)[Mode][number], 'rotate_secret'>;

const timeout_seconds: FieldWords = {
  label: 'Command timeout (seconds)',
  hint: `At most ${LIMITS.deployBindings.timeoutSeconds.max}. Default: ${LIMITS.deployBindings.timeoutSeconds.default}.`,
  isNumber: true,
};

/** What each mode does, and its fields. */
export const MODES: { readonly [M in Mode]: ModeWords<M> } = {
  generic: {
    label: 'Signed call',
    description: 'Sends a signed request to a URL.',
    fields: {
      target_url: { label: 'URL', hint: 'An https URL, such as https://ci.example.com/hook.' },
      secret: { label: 'Secret', hint: 'whsec_ followed by base64. Leave empty to generate one, which is shown once.' },
    },
  },
  custom: {
    label: 'Command',
    description: "Runs a command in the job's working folder.",
    fields: { command: { label: 'Command', hint: 'Runs in bash after the job succeeds.' }, timeout_seconds },
  },
  hosted_editor: {
    label: 'Hosted editor',
    description: 'Shows a link that opens the working folder in an editor.',
    fields: { open_url: { label: 'URL', hint: '{cwd} and {project} are replaced.' } },
  },
  web_framework: {
    label: 'Web framework',
    description: 'Installs, builds and deploys a web project.',
    fields: {
      framework: { label: 'Framework', hint: 'Such as nextjs, vite, astro or django.' },
      install_command: { label: 'Install command', hint: "Default: the framework's command." },
      build_command: { label: 'Build command', hint: "Default: the framework's command." },
      deploy_command: { label: 'Deploy command', hint: "Default: the framework's command." },
      timeout_seconds,
    },
  },
};

/** The fields of a mode, in the form's order. */
export function fieldsOf(mode: Mode): [ModeField, FieldWords][] {
  return Object.entries(MODES[mode].fields) as [ModeField, FieldWords][];
}
