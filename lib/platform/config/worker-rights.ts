/** The default capabilities of a container with Docker, and on Fargate, where none of these can be added. */
export const CONTAINER_RIGHTS = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
] as const;

/** The capabilities that a worker needs. The processes of a job have none of them. */
export const WORKER_RIGHTS: readonly (typeof CONTAINER_RIGHTS)[number][] = [
  // To assign a job's folders to its slot's account, and to handle the files that the account created.
  'CHOWN',
  'DAC_OVERRIDE',
  // To remove files from folders with the sticky bit, which only allows owners to.
  'FOWNER',
  // To signal processes of another account.
  'KILL',
  // To start processes under another account, irreversibly.
  'SETGID',
  'SETPCAP',
  'SETUID',
];
