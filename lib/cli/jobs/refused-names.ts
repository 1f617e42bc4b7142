/** Why a file of a job is not stored on a person's machine under its name. */
export interface Refusal {
  readonly reason: string;
  /** Whether even a change to a repository, whose settings a person may ask for, can't have such a name. */
  readonly isAlways: boolean;
}

interface RefusedName extends Refusal {
  /** Matches a part of a path, folded as file systems and git fold it. */
  readonly part: RegExp;
}

/**
 * Names with a dot that no program takes commands from. All others are refused: no list of harmful names is ever
 * complete.
 */
const HARMLESS = [
  ...['changeset', 'dockerignore', 'editorconfig', 'github', 'gitignore', 'gitkeep', 'keep', 'nojekyll'],
  ...['promptq', 'well-known'],
];

/** What a shell, its prompt, an editor, a desktop or git obeys in a folder that is entered or opened. */
const REFUSED: readonly RefusedName[] = [
  { part: /^(?:\.git|git~\d+)$/u, reason: 'git runs commands that it names', isAlways: true },
  {
    part: new RegExp(`^\\.(?!(?:${HARMLESS.join('|')})$)`, 'u'),
    reason: 'programs take settings, and with them commands, from names that begin with a dot',
    isAlways: false,
  },
  {
    part: /^(?:autorun\.inf|desktop\.ini|.*\.(?:desktop|lnk|scf|url|webloc|inetloc|fileloc|library-ms|searchconnector-ms))$/u,
    reason: 'desktops run or load what it names',
    isAlways: false,
  },
  {
    part: /^(?:mise(?:\..+)?\.toml|rust-toolchain(?:\.toml)?|_(?:vimrc|gvimrc|exrc|netrc|emacs|bashrc))$/u,
    reason: 'editors and version managers take settings from it',
    isAlways: false,
  },
  {
    part: /^[-~]|^.{1,6}~\d+(?:\..{0,3})?$|`|\$[({]/u,
    reason: 'a shell takes its name for an option, another folder or a command',
    isAlways: false,
  },
];

const HIDDEN: Refusal = { reason: 'its name has control characters, or others that hide what it is', isAlways: true };
const HIDING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\uFFFD]/u;

const ELSEWHERE: Refusal = { reason: 'it names no place below the folder', isAlways: true };
const OUTSIDE = /\\|(?:^|\/)(?:\.{0,2})(?:\/|$)/;

/** Why a file must not get this path; undefined: its name is harmless. */
export function refusalOf(path: string): Refusal | undefined {
  if (HIDING.test(path)) return HIDDEN;
  if (OUTSIDE.test(path)) return ELSEWHERE;
  const parts = path.split('/').map(folded);
  return REFUSED.find(({ part }) => parts.some((name) => part.test(name)));
}

/** Why the files of a git directory are refused. */
export const GIT_FOLDER: Refusal = {
  reason: 'git takes its folder for a repository, and runs commands that its settings name',
  isAlways: true,
};
/** Beside `HEAD`, any of these can make a folder a git directory. */
const BESIDE_HEAD = ['objects', 'refs', 'commondir', 'config'] as const;

/**
 * The paths that would make a folder a git directory, together with each other and with what is there already.
 * @param isThere whether a path exists
 */
export async function gitFolderPaths(
  paths: readonly string[],
  isThere: (path: string) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const places = paths.flatMap(placesOf);
  const withOther = new Set(places.filter(({ isHead }) => !isHead).map(({ folder }) => folder));
  const refused = new Set<string>();
  for (const { path, isHead, folder, spelled } of places) {
    const others = isHead ? BESIDE_HEAD : ['HEAD'];
    if (isHead && withOther.has(folder)) refused.add(path);
    else for (const other of others) if (await isThere([...spelled, other].join('/'))) refused.add(path);
  }
  return refused;
}

/** Where on a path a name of a git directory stands. */
function placesOf(path: string) {
  const spelled = path.split('/');
  const parts = spelled.map(folded);
  return parts.flatMap((name, at) => {
    const isHead = name === 'head' && at === parts.length - 1;
    if (!isHead && !BESIDE_HEAD.some((other) => other === name)) return [];
    return { path, isHead, folder: parts.slice(0, at).join('/'), spelled: spelled.slice(0, at) };
  });
}

/** A name without what Windows drops (a stream, dots and spaces at the end), macOS ignores, and both take as equal. */
function folded(name: string): string {
  const visible = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
  return visible
    .replace(/:.*$/s, '')
    .replace(/(?<=[^. ])[. ]+$/, '')
    .toLowerCase();
}
