/** The rights of root (capabilities) that a container has by default at Docker, and on Fargate, where none of these can be added. */
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

/** Those that a worker needs. What it starts for a job has none of them. */
export const WORKER_RIGHTS: readonly (typeof CONTAINER_RIGHTS)[number][] = [
  // To give a job's folders to the account that works there, and to handle what that account has left.
  'CHOWN',
  'DAC_OVERRIDE',
  // To ask processes of another account to end.
  'KILL',
  // To start processes under another account, with no way back.
  'SETGID',
  'SETPCAP',
  'SETUID',
];
