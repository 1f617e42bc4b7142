/**
 * Memory of the functions by what they do, in MiB. A function has a vCPU for each 1,769 MiB, so that more memory makes a
 * request faster; docs/operate/performance.md has the time and the cost of each size, by which these were chosen.
 */
export const FUNCTION_MEMORY = {
  /** Routes that a caller waits for. */
  buffered: 1_024,
  /** Routes that stream: they wait most of their time, which is billed. */
  stream: 512,
  /** No caller waits for these. */
  trigger: 256,
  /** Makes exports: rows are made and joined by computing. */
  exports: 1_024,
  /** Copies the console's files. */
  console: 512,
} as const;
