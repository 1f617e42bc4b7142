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
  label: 'Seconds that each command may run',
  hint: `At most ${LIMITS.deployBindings.timeoutSeconds.max}; empty: ${LIMITS.deployBindings.timeoutSeconds.default}.`,
  isNumber: true,
};

/** What each mode does, and its fields. */
export const MODES: { readonly [M in Mode]: ModeWords<M> } = {
  generic: {
    label: 'Signed call',
    description: 'Calls an address with a signed message.',
    fields: {
      target_url: { label: 'Address', hint: 'https, such as https://ci.example.com/hook' },
      secret: { label: 'Secret', hint: 'whsec_ and base64. Empty: one is made, and shown once.' },
    },
  },
  custom: {
    label: 'Command',
    description: "Runs a command in the job's working folder.",
    fields: { command: { label: 'Command', hint: 'Run by bash after the success.' }, timeout_seconds },
  },
  hosted_editor: {
    label: 'Hosted editor',
    description: 'Shows a link that opens the working folder in an editor.',
    fields: { open_url: { label: 'Address', hint: '{cwd} and {project} are put in.' } },
  },
  web_framework: {
    label: 'Web framework',
    description: 'Installs, builds and deploys a web project.',
    fields: {
      framework: { label: 'Framework', hint: 'Such as nextjs, vite, astro or django.' },
      install_command: { label: 'Install command', hint: "Empty: the framework's own." },
      build_command: { label: 'Build command', hint: "Empty: the framework's own." },
      deploy_command: { label: 'Deploy command', hint: "Empty: the framework's own." },
      timeout_seconds,
    },
  },
};

/** The fields of a mode, in the form's order. */
export function fieldsOf(mode: Mode): [ModeField, FieldWords][] {
  return Object.entries(MODES[mode].fields) as [ModeField, FieldWords][];
}
