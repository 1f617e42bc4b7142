import { defineRoutes } from './route.ts';
import {
  cancelJob,
  createJob,
  deleteJob,
  editJob,
  killJob,
  listJobs,
  readJob,
  readJobStatus,
  refuseAction,
  replaceJob,
  rereadLogs,
  retryJob,
  submitJob,
} from './routes/jobs.ts';
import { readLogs, readResult } from './routes/output.ts';
import { readHealth, readOpenApi } from './routes/service.ts';

/**
 * The routing table. API Gateway's resources, the functions and their grants, parsing, scope enforcement, the OpenAPI
 * document and the local gateway are made from it; a route exists by standing here.
 */
export const routes = defineRoutes([
  readHealth,
  createJob,
  listJobs,
  readJob,
  readJobStatus,
  editJob,
  replaceJob,
  deleteJob,
  submitJob,
  cancelJob,
  killJob,
  retryJob,
  rereadLogs,
  refuseAction,
  readResult,
  readLogs,
  readOpenApi,
]);
