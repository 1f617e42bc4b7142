import { type Door, defineRoutes } from '../route.ts';
import { cancelCodexLogin, logoutCodexAccount, readCodexAccount, startCodexLogin } from './account.ts';
import { listAttachments, readAttachment } from './attachments.ts';
import { listAuditLogs } from './audit.ts';
import {
  createAutomation,
  deleteAutomation,
  editAutomation,
  listAutomations,
  listRuns,
  readAutomation,
  runAutomation,
} from './automations.ts';
import {
  deleteProfile,
  deleteRule,
  exportConfig,
  importConfig,
  listProfiles,
  listProjects,
  listRules,
} from './catalog.ts';
import { deleteBinding, listBindings, retryDeployment, writeBinding } from './deploy-bindings.ts';
import { deleteDiagram, listDiagrams, readDiagram, writeDiagram } from './diagrams.ts';
import { listEvents } from './events.ts';
import { createExport, deleteExport, listExports, readExport } from './exports.ts';
import { listFiles, readFile } from './files.ts';
import { changeHookSecret, listDeliveries, receiveHook, resendDelivery, sendTestDelivery } from './hooks.ts';
import {
  cancelJob,
  createJob,
  deleteJob,
  deleteOutput,
  editDraft,
  editJob,
  killJob,
  listJobs,
  readJob,
  readJobStatus,
  refuseAction,
  removeJob,
  replaceJob,
  rereadLogs,
  retryJob,
  submitJob,
} from './jobs.ts';
import { callMcp } from './mcp.ts';
import { createMessage, listMessages } from './messages.ts';
import { readAgentSession, readLogs, readResult } from './output.ts';
import { readEnvironment, readPlatform, readStats } from './overview.ts';
import { beginSignIn, finishSignIn, signedOut, signOut } from './pages.ts';
import { deleteParameter, listParameters, writeParameter } from './parameters.ts';
import { deleteProject, editProject } from './project-settings.ts';
import { answerQuestion, listQuestions } from './questions.ts';
import { readRecord } from './record.ts';
import { readHealth, readOpenApi } from './service.ts';
import { endSession, listSessions, readSession } from './sessions.ts';
import {
  createSubscription,
  deleteSubscription,
  editSubscription,
  listSentDeliveries,
  listSubscriptions,
  readSubscription,
  receiveSlack,
  receiveTelegram,
  resendSentDelivery,
  testSubscription,
} from './subscriptions.ts';
import {
  deleteTemplate,
  listTemplates,
  listTemplateVersions,
  readTemplate,
  renderTemplate,
  writeTemplate,
} from './templates.ts';
import { createToken, listTokens, resumeToken, revokeToken, suspendToken } from './tokens.ts';

/**
 * The routes of the API. API Gateway's resources, the functions and their grants, parsing, scope enforcement, the OpenAPI
 * document and the local gateway are derived from them and `doors`. A route exists if it is listed here.
 */
export const routes = defineRoutes([
  readHealth,
  readEnvironment,
  readPlatform,
  readStats,
  createJob,
  listJobs,
  readJob,
  readJobStatus,
  editJob,
  replaceJob,
  editDraft,
  deleteJob,
  submitJob,
  cancelJob,
  killJob,
  retryJob,
  rereadLogs,
  listQuestions,
  answerQuestion,
  removeJob,
  deleteOutput,
  refuseAction,
  readResult,
  readLogs,
  readAgentSession,
  readRecord,
  createMessage,
  listMessages,
  writeBinding,
  listBindings,
  deleteBinding,
  retryDeployment,
  readCodexAccount,
  startCodexLogin,
  cancelCodexLogin,
  logoutCodexAccount,
  listProjects,
  listRules,
  listProfiles,
  deleteRule,
  deleteProfile,
  listTemplates,
  readTemplate,
  listTemplateVersions,
  writeTemplate,
  deleteTemplate,
  renderTemplate,
  importConfig,
  exportConfig,
  listAttachments,
  readAttachment,
  listFiles,
  readFile,
  editProject,
  deleteProject,
  listParameters,
  writeParameter,
  deleteParameter,
  listDiagrams,
  readDiagram,
  writeDiagram,
  deleteDiagram,
  listAutomations,
  createAutomation,
  readAutomation,
  editAutomation,
  deleteAutomation,
  runAutomation,
  listRuns,
  listDeliveries,
  sendTestDelivery,
  resendDelivery,
  changeHookSecret,
  listEvents,
  listSubscriptions,
  createSubscription,
  readSubscription,
  editSubscription,
  deleteSubscription,
  testSubscription,
  listSentDeliveries,
  resendSentDelivery,
  callMcp,
  readOpenApi,
  listAuditLogs,
  createExport,
  listExports,
  readExport,
  deleteExport,
  readSession,
  listSessions,
  endSession,
  listTokens,
  createToken,
  suspendToken,
  resumeToken,
  revokeToken,
]);

/** All doors: the routes, and hooks and the pages for browsers, which are not part of the OpenAPI document. */
export const doors: readonly Door[] = [
  ...routes,
  receiveHook,
  receiveSlack,
  receiveTelegram,
  beginSignIn,
  finishSignIn,
  signOut,
  signedOut,
];
