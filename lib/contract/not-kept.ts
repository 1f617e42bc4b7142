/** Why a file of a job's folder is listed and not kept. */
export const NOT_KEPT = {
  link: 'a link: what it leads to may lie elsewhere',
  special: 'neither a file nor a folder',
  left_out: 'a folder that is left out whatever is in it',
  size: 'larger than one kept file may be',
  total: 'the files before it have used up what is kept of an attempt',
  depth: 'too deep in folders',
  unreadable: "can't be read by the job's account, or changed meanwhile",
} as const;

/** Why a file of a job's folder is not even listed. */
export const NOT_LISTED = {
  name: 'its name is no UTF-8, is too long, or has characters that mislead',
  count: 'the folder has more entries than are listed',
  time: 'the folder took too long to read',
} as const;
