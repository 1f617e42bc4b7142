import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { ConsoleLayout } from './frame/console-layout.tsx';
import { JobsPage } from './jobs/list/jobs-page.tsx';
import { lazyPart } from './page/lazy-part.ts';
import { SignedInPage } from './page/signed-in-page.tsx';
import { UnknownPage } from './page/unknown-page.tsx';

const JobPage = lazyPart(() => import('./jobs/job/job-page.tsx'), 'JobPage');
const EditJobPage = lazyPart(() => import('./jobs/edit/edit-job-page.tsx'), 'EditJobPage');
const NewJobPage = lazyPart(() => import('./jobs/form/new-job-page.tsx'), 'NewJobPage');
const ComparePage = lazyPart(() => import('./jobs/compare/compare-page.tsx'), 'ComparePage');
const QuestionsPage = lazyPart(() => import('./questions/questions-page.tsx'), 'QuestionsPage');
const StatsPage = lazyPart(() => import('./stats/stats-page.tsx'), 'StatsPage');
const EnvironmentPage = lazyPart(() => import('./environment/environment-page.tsx'), 'EnvironmentPage');
const ProjectsPage = lazyPart(() => import('./catalog/lists/projects-page.tsx'), 'ProjectsPage');
const TemplatesPage = lazyPart(() => import('./templates/templates-page.tsx'), 'TemplatesPage');
const TemplatePage = lazyPart(() => import('./templates/template-page.tsx'), 'TemplatePage');
const EditTemplatePage = lazyPart(() => import('./templates/edit/edit-template-page.tsx'), 'EditTemplatePage');
const RunTemplatePage = lazyPart(() => import('./templates/run/run-template-page.tsx'), 'RunTemplatePage');
const DiagramsPage = lazyPart(() => import('./diagrams/page/diagrams-page.tsx'), 'DiagramsPage');
const RulesPage = lazyPart(() => import('./catalog/lists/rules-page.tsx'), 'RulesPage');
const ProfilesPage = lazyPart(() => import('./catalog/lists/profiles-page.tsx'), 'ProfilesPage');
const EditRulePage = lazyPart(() => import('./catalog/edit/edit-rule-page.tsx'), 'EditRulePage');
const EditProfilePage = lazyPart(() => import('./catalog/edit/edit-profile-page.tsx'), 'EditProfilePage');
const BindingsPage = lazyPart(() => import('./bindings/bindings-page.tsx'), 'BindingsPage');
const ConfigurationPage = lazyPart(() => import('./configuration/configuration-page.tsx'), 'ConfigurationPage');
const AccountPage = lazyPart(() => import('./account/account-page.tsx'), 'AccountPage');
const ApiTokensPage = lazyPart(() => import('./tokens/api-tokens-page.tsx'), 'ApiTokensPage');
const SessionsPage = lazyPart(() => import('./sessions/sessions-page.tsx'), 'SessionsPage');
const ReferencePage = lazyPart(() => import('./reference/reference-page.tsx'), 'ReferencePage');
const AutomationsPage = lazyPart(() => import('./automations/automations-page.tsx'), 'AutomationsPage');
const AutomationPage = lazyPart(() => import('./automations/automation-page.tsx'), 'AutomationPage');
const EditAutomationPage = lazyPart(() => import('./automations/form/edit-automation-page.tsx'), 'EditAutomationPage');
const EventsPage = lazyPart(() => import('./events/events-page.tsx'), 'EventsPage');
const CalendarPage = lazyPart(() => import('./automations/calendar/calendar-page.tsx'), 'CalendarPage');
const SubscriptionsPage = lazyPart(() => import('./subscriptions/subscriptions-page.tsx'), 'SubscriptionsPage');
const SubscriptionPage = lazyPart(() => import('./subscriptions/subscription-page.tsx'), 'SubscriptionPage');
const EditSubscriptionPage = lazyPart(
  () => import('./subscriptions/edit-subscription-page.tsx'),
  'EditSubscriptionPage',
);
const ExportsPage = lazyPart(() => import('./exports/exports-page.tsx'), 'ExportsPage');
const AuditPage = lazyPart(() => import('./audit/audit-page.tsx'), 'AuditPage');

/** The routes of the console. The jobs list is in the first load. Other pages load when they are opened. */
export function Pages() {
  return (
    <BrowserRouter>
      <Routes>
        <Route element={<ConsoleLayout />}>
          <Route path="/" element={<Navigate to="/jobs" replace />} />
          <Route path="/jobs" element={<JobsPage />} />
          <Route path="/jobs/new" element={<NewJobPage />} />
          <Route path="/jobs/:id/edit" element={<EditJobPage />} />
          <Route path="/jobs/:id" element={<JobPage />} />
          <Route path="/compare" element={<ComparePage />} />
          <Route path="/questions" element={<QuestionsPage />} />
          <Route path="/stats" element={<StatsPage />} />
          <Route path="/environment" element={<EnvironmentPage />} />
          <Route path="/projects" element={<ProjectsPage />} />
          <Route path="/templates" element={<TemplatesPage />} />
          <Route path="/templates/-/new" element={<EditTemplatePage />} />
          <Route path="/templates/:name" element={<TemplatePage />} />
          <Route path="/templates/:name/edit" element={<EditTemplatePage />} />
          <Route path="/templates/:name/run" element={<RunTemplatePage />} />
          <Route path="/diagrams" element={<DiagramsPage />} />
          <Route path="/rules" element={<RulesPage />} />
          <Route path="/rules/new" element={<EditRulePage />} />
          <Route path="/rules/:id/edit" element={<EditRulePage />} />
          <Route path="/profiles" element={<ProfilesPage />} />
          <Route path="/profiles/new" element={<EditProfilePage />} />
          <Route path="/profiles/:name/edit" element={<EditProfilePage />} />
          <Route path="/bindings" element={<BindingsPage />} />
          <Route path="/configuration" element={<ConfigurationPage />} />
          <Route path="/account" element={<AccountPage />} />
          <Route path="/api-tokens" element={<ApiTokensPage />} />
          <Route path="/sessions" element={<SessionsPage />} />
          <Route path="/automations" element={<AutomationsPage />} />
          <Route path="/automations/-/new" element={<EditAutomationPage />} />
          <Route path="/automations/-/calendar" element={<CalendarPage />} />
          <Route path="/automations/:id" element={<AutomationPage />} />
          <Route path="/automations/:id/edit" element={<EditAutomationPage />} />
          <Route path="/events" element={<EventsPage />} />
          <Route path="/subscriptions" element={<SubscriptionsPage />} />
          <Route path="/subscriptions/-/new" element={<EditSubscriptionPage />} />
          <Route path="/subscriptions/:id" element={<SubscriptionPage />} />
          <Route path="/subscriptions/:id/edit" element={<EditSubscriptionPage />} />
          <Route path="/exports" element={<ExportsPage />} />
          <Route path="/audit" element={<AuditPage />} />
          <Route path="/reference/:operation?" element={<ReferencePage />} />
          <Route path="/signed-in" element={<SignedInPage />} />
          <Route path="*" element={<UnknownPage />} />
        </Route>
      </Routes>
    </BrowserRouter>
  );
}
