/** What can be exported. */
export const EXPORT_KINDS = ['jobs', 'attempts', 'usage', 'messages', 'audit'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const EXPORT_FORMATS = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_STATES = ['queued', 'running', 'done', 'failed'] as const;
