/** What the drive sends to `codex app-server`: the requests, and the members of their parameters. */
export const REQUESTS = [
  {
    method: 'initialize',
    params: 'v1/InitializeParams',
    sent: [
      ...['clientInfo', 'clientInfo.name', 'clientInfo.title', 'clientInfo.version'],
      ...['capabilities.experimentalApi', 'capabilities.requestAttestation', 'capabilities.optOutNotificationMethods'],
    ],
  },
  { method: 'account/login/start', params: 'v2/LoginAccountParams', sent: ['type', 'apiKey'] },
  { method: 'thread/start', params: 'v2/ThreadStartParams', sent: ['approvalPolicy', 'sandbox', 'model'] },
  {
    method: 'thread/resume',
    params: 'v2/ThreadResumeParams',
    sent: ['threadId', 'excludeTurns', 'approvalPolicy', 'sandbox', 'model'],
  },
  {
    method: 'turn/start',
    params: 'v2/TurnStartParams',
    sent: ['threadId', 'input', 'input.type', 'input.text', 'input.text_elements'],
  },
  {
    method: 'turn/steer',
    params: 'v2/TurnSteerParams',
    sent: ['threadId', 'expectedTurnId', 'clientUserMessageId', 'input', 'input.text'],
  },
] as const;

/** What the drive and the reader use of what it sends. `method` absent: an answer. */
export const READ = [
  { method: undefined, schema: 'v2/ThreadStartResponse', fields: ['thread.id', 'model'] },
  { method: undefined, schema: 'v2/ThreadResumeResponse', fields: ['thread.id', 'model'] },
  { method: undefined, schema: 'v2/TurnStartResponse', fields: ['turn.id'] },
  {
    method: 'item/completed',
    schema: 'v2/ItemCompletedNotification',
    fields: ['threadId', 'item.type', 'item.text', 'item.clientId', 'item.exitCode', 'item.aggregatedOutput'],
  },
  {
    method: 'thread/tokenUsage/updated',
    schema: 'v2/ThreadTokenUsageUpdatedNotification',
    fields: [
      ...['threadId', 'tokenUsage.total.inputTokens', 'tokenUsage.total.cachedInputTokens'],
      ...['tokenUsage.total.outputTokens', 'tokenUsage.total.reasoningOutputTokens'],
    ],
  },
  {
    method: 'turn/completed',
    schema: 'v2/TurnCompletedNotification',
    fields: ['threadId', 'turn.status', 'turn.error.message'],
  },
  { method: 'turn/started', schema: 'v2/TurnStartedNotification', fields: ['threadId', 'turn.id'] },
  { method: 'error', schema: 'v2/ErrorNotification', fields: ['error.message'] },
] as const;
