/** Trees whose prose is checked: paths from the root. Add a tree once its texts are clean. */
export const TREES: readonly string[] = [
  '*.md',
  'docs/**/*.md',
  'lib/**/*.ts',
  'functions/**/*.ts',
  'worker-container/**/*.ts',
  'bin/**/*.ts',
  'bench/**/*.ts',
  'console/src/**/*.{ts,tsx,css}',
  'test/**/*.ts',
];

/** Files that quote the phrases to define and to test the check. */
export const QUOTING: readonly string[] = ['test/docs/dialect.ts', 'test/docs/prose.test.ts'];

/** Phrases that read as translated, and what to write instead. Each is searched across line ends. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/gi, 'again, or re-'],
  [/\bof (?:its|their|our|your) own accord\b/gi, 'automatically, or nothing'],
  [/\bof (?:its|their|one's|our) own\b(?! \w)/gi, 'its own X, or separate'],
  [/\bby (?:itself|themselves|oneself)\b/gi, 'automatically, or nothing'],
  [/\b(?:himself|herself)\b/gi, 'the noun'],
  [/\b(?:whoever|whosoever|whomever)\b/gi, 'the noun: a client, the worker'],
  [/(?:^|[.:;] )Who (?:is|was|has|asks|calls)\b(?![^.]*\?)/g, 'the noun: a client, the worker'],
  [/\bnobody (?:can|may|has|knows|is)\b/gi, 'no one, or the passive'],
  [/\bleaves? to (?:look|do|act|see)\b/gi, 'permission, or hint'],
  [/\b(?:goes|go|went|going) on\b/gi, 'continues'],
  [/\bgoes? with (?:it|them|its)\b/gi, 'is deleted with'],
  [/\b(?:stands|stand|stood) in (?:the|a|its|their|no|one)\b/gi, 'is in'],
  [/\b(?:was|were|is|are|be|been) told\b/gi, 'gets, receives, is reported to'],
  [/\b(?:sets?|putting|puts?) right\b/gi, 'corrects'],
  [/\b(?:a|the|last|next|first|second|one) look\b(?! and)/gi, 'check, poll'],
  [/\blooks? again\b/gi, 'checks again'],
  [/\b(?:at|by) the (?:least|most)\b/gi, 'at least, at most'],
  [/\bno matter of\b/gi, 'does not concern'],
  [/\bno more\b(?= (?:and|to|of its|than one)|[.;,)]|$)/gi, 'no longer'],
  [/\b(?:takes?|took|taken|taking) (?:it|them|\w+) away\b/gi, 'removes, disables'],
  [/\bsince ever\b/gi, 'all time'],
  [/\bever after\b/gi, 'afterwards'],
  [/\bfor ever\b/gi, 'indefinitely, permanently'],
  [/\bany more\b/gi, 'no longer'],
  [/\b(?:somebody|anybody)\b/gi, 'the noun: a client, a user'],
  [/\bunder way\b/gi, 'in progress'],
  [/\bhold(?:s|ing)? good\b/gi, 'applies'],
  [/\bthat there (?:is|are)\b/gi, 'that exists, existing'],
  [/\bcan not\b/gi, "can't"],
];
