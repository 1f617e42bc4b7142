/** The prompt of an attempt that continues the session of an interrupted one. */
export const RESUME_NOTE = [
  'Your work on the task above was interrupted, and now continues where you stopped.',
  'The last command may be half done: check before you repeat it. Temporary files may be gone, and the working folder',
  'may have changed. $PROMPTQ_ATTACHMENTS has what you stored in it, unless its machine was lost.',
].join('\n');
