/** Environment variables that profiles can't set, by the reason. A name that ends in `*` stands for all that begin so. */
const REFUSED = {
  /** The service's own. */
  service: ['PROMPTQ_*', 'AWS_*'],
  /** The dynamic loader and the C library load code, or change how they load it, into every program. */
  loader: ['LD_*', 'DYLD_*', 'GLIBC_TUNABLES', 'GCONV_PATH', 'LOCPATH'],
  /**
   * Shells, interpreters and virtual machines run code, or take options, at each start. Those that only name folders of
   * modules for one program to import (`PYTHONPATH`, `NODE_PATH`), and git's, which the worker's own calls never get, are
   * allowed: jobs need them. Of Perl, which the worker starts jobs with, the folders are refused too.
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
  service: "PROMPTQ_… and AWS_… are the service's own",
  loader: 'it changes the code that the dynamic loader loads into every program',
  interpreter: 'it makes every shell or interpreter of a job run other code',
};

/** Whether, and for which kind of reason, profiles can't set a variable. */
export function refusedKindOf(name: string): RefusedKind | undefined {
  const kinds = Object.keys(REFUSED) as RefusedKind[];
  return kinds.find((kind) =>
    REFUSED[kind].some((refused) => (refused.endsWith('*') ? name.startsWith(refused.slice(0, -1)) : name === refused)),
  );
}

/** Why profiles can't set a variable; undefined: they can. */
export function whyRefused(name: string): string | undefined {
  const kind = refusedKindOf(name);
  return kind && WHY[kind];
}

/** All of them, as the API's description has them. */
export const REFUSED_NAMES = Object.values(REFUSED)
  .flat()
  .map((name) => `\`${name}\``)
  .join(', ');
