/** Every limit that a client can meet, each named once. Bytes are bytes, times are seconds unless the name says otherwise. */
export const LIMITS = {
  /** Default and highest value of the deployment setting `maxBodyBytes`. Lambda's event holds the body escaped. */
  maxBodyBytes: { default: 2 * 1024 * 1024, max: 2_900_000 },
  /** Longest wait of `GET /jobs/{id}/status?wait=`: under API Gateway's 29 s. */
  statusWaitSeconds: 25,
  /** How much of each stream a result brings unless `full=1`. */
  resultStreamBytes: 10 * 1024 * 1024,
  /** How much of each stream the logs bring unless `full=1`. */
  logStreamBytes: 1024 * 1024,
  /** A followed log: how long one stream lasts (under Lambda's 15 min), the longest silence, how often the caller is judged anew. */
  follow: { seconds: 14 * 60, silenceSeconds: 15, admitSeconds: 5 },
  /** An answer of more JSON than this is written beside the output at the attempt's end, and reached by a redirect. */
  streamedAnswerBytes: 100_000_000,
  /** How long such a redirect works. */
  redirectSeconds: 60,
  /** Output of one stream of one attempt; more ends the attempt. */
  outputBytes: 1024 * 1024 * 1024,
  retries: { min: 0, max: 100 },
  projectNameLength: 100,
  idempotencyKeyLength: 255,
  cwdLength: 4_096,
  promptPreviewLength: 200,
  /** Prompt texts above this are kept in S3 instead of the table. */
  inlineSpecBytes: 64 * 1024,
  /** Characters of the prompt texts that the list's search looks at. */
  searchTextLength: 8_000,
  /** How many characters the codex CLI takes as a prompt. */
  codexPromptLength: 1_048_576,
  /** The claude CLI reads 10 Mi UTF-16 units of prompt, of which a character can take two. */
  claudePromptLength: 5_242_880,
  followUps: {
    /** Jobs that one job can bring about, all its attempts together. */
    perJob: 20,
    /** How far a follow-up's follow-ups go: a job that a client created has depth 0. */
    depth: 5,
    /** Longest body of a block. */
    blockBytes: 3_000_000,
    /** Blocks of one attempt that are looked at. */
    blocks: 100,
  },
  /** How many warnings a job keeps, and how long each may be. */
  warnings: { count: 10, length: 160 },
  list: { min: 1, max: 500, default: 50 },
  searchLength: 200,
} as const;
