/** The ids of the requests that the worker sends to `codex app-server`: the answers in its output have them. */
export const APP_SERVER_REQUESTS = {
  initialize: 'initialize',
  login: 'login',
  thread: 'thread',
  turn: 'turn',
} as const;
