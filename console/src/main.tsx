import '@cloudscape-design/global-styles/index.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { applyAppearance, storedAppearance } from './browser/appearance.ts';
import { Pages } from './pages.tsx';

applyAppearance(storedAppearance());

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Pages />
    </QueryClientProvider>
  </StrictMode>,
);
