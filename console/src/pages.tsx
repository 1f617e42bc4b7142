import { type ComponentType, lazy } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { JobsPage } from './jobs/jobs-page.tsx';
import { ConsoleLayout } from './layout/console-layout.tsx';
import { SignedInPage } from './layout/signed-in-page.tsx';
import { UnknownPage } from './layout/unknown-page.tsx';

/** A page whose code is fetched when it is first opened. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] }));
}

const JobPage = page(() => import('./jobs/job-page.tsx'), 'JobPage');
const EditJobPage = page(() => import('./jobs/edit-job-page.tsx'), 'EditJobPage');
const NewJobPage = page(() => import('./jobs/new-job-page.tsx'), 'NewJobPage');
const StatsPage = page(() => import('./stats/stats-page.tsx'), 'StatsPage');
const EnvironmentPage = page(() => import('./environment/environment-page.tsx'), 'EnvironmentPage');
const ProjectsPage = page(() => import('./catalog/projects-page.tsx'), 'ProjectsPage');
const RulesPage = page(() => import('./catalog/rules-page.tsx'), 'RulesPage');
const ProfilesPage = page(() => import('./catalog/profiles-page.tsx'), 'ProfilesPage');
const BindingsPage = page(() => import('./bindings/bindings-page.tsx'), 'BindingsPage');
const ConfigurationPage = page(() => import('./configuration/configuration-page.tsx'), 'ConfigurationPage');
const AccountPage = page(() => import('./account/account-page.tsx'), 'AccountPage');
const ApiTokensPage = page(() => import('./tokens/api-tokens-page.tsx'), 'ApiTokensPage');
const SessionsPage = page(() => import('./sessions/sessions-page.tsx'), 'SessionsPage');
const AuditPage = page(() => import('./audit/audit-page.tsx'), 'AuditPage');

/** Which address shows which page. The first page comes with the first load, all others when they are opened. */
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
          <Route path="/stats" element={<StatsPage />} />
          <Route path="/environment" element={<EnvironmentPage />} />
          <Route path="/projects" element={<ProjectsPage />} />
          <Route path="/rules" element={<RulesPage />} />
          <Route path="/profiles" element={<ProfilesPage />} />
          <Route path="/bindings" element={<BindingsPage />} />
          <Route path="/configuration" element={<ConfigurationPage />} />
          <Route path="/account" element={<AccountPage />} />
          <Route path="/api-tokens" element={<ApiTokensPage />} />
          <Route path="/sessions" element={<SessionsPage />} />
          <Route path="/audit" element={<AuditPage />} />
          <Route path="/signed-in" element={<SignedInPage />} />
          <Route path="*" element={<UnknownPage />} />
        </Route>
      </Routes>
    </BrowserRouter>
  );
}
