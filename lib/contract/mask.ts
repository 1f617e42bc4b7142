/** What stands in place of each secret in output, questions and answers. */
export const MASK = '***';
