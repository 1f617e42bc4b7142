/** Environment variables that profiles can't set, by reason. A `*` at the end matches any suffix. */
const REFUSED = {
  /** Variables of the service. */
  service: ['PROMPTQ_*', 'AWS_*'],
  /** They make the dynamic loader and the C library load other code into every program. */
  loader: ['LD_*', 'DYLD_*', 'GLIBC_TUNABLES', 'GCONV_PATH', 'LOCPATH'],
  /**
   * They make shells, interpreters and virtual machines run code or take options at each start. Module folders
   * (`PYTHONPATH`, `NODE_PATH`) and git's variables are allowed, because jobs need them and the worker's own calls never get
   * them. Perl's folders are rejected, because the worker starts jobs with Perl.
   */
  interpreter: [
    'BASH_ENV',
    'ENV',
    'SHELLOPTS',
    'PS4',
    'NODE_OPTIONS',
    'PERL5OPT',
    'PERL5LIB',
    'PERL5DB',
    'PYTHONSTARTUP',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    'JDK_JAVA_OPTIONS',
    '_JAVA_OPTIONS',
  ],
} as const;

type RefusedKind = keyof typeof REFUSED;

const WHY: Readonly<Record<RefusedKind, string>> = {
  service: 'PROMPTQ_… and AWS_… are reserved for the service',
  loader: 'it changes the code that the dynamic loader loads into every program',
  interpreter: 'it makes every shell or interpreter of a job run other code',
};

/** The kind of reason why profiles can't set a variable, or undefined if they can. */
export function refusedKindOf(name: string): RefusedKind | undefined {
  const kinds = Object.keys(REFUSED) as RefusedKind[];
  return kinds.find((kind) =>
    REFUSED[kind].some((refused) => (refused.endsWith('*') ? name.startsWith(refused.slice(0, -1)) : name === refused)),
  );
}

/** Why profiles can't set a variable, or undefined if they can. */
export function whyRefused(name: string): string | undefined {
  const kind = refusedKindOf(name);
  return kind && WHY[kind];
}

/** The rejected names, for the API description. */
export const REFUSED_NAMES = Object.values(REFUSED)
  .flat()
  .map((name) => `\`${name}\``)
  .join(', ');
