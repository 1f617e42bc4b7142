import { useSearchParams } from 'react-router';
import { usePageTitle } from '../../page/page-title.ts';
import { DiagramList } from './diagram-list.tsx';
import { DiagramView } from './diagram-view.tsx';

/** The diagrams of the project in the address, or the one that it names. */
export function DiagramsPage() {
  const [query] = useSearchParams();
  const project = query.get('project') ?? 'local_project';
  const name = query.get('name');
  usePageTitle(name ?? 'Diagrams');
  return name === null ? (
    <DiagramList key={project} project={project} />
  ) : (
    <DiagramView key={`${project} ${name}`} project={project} name={name} />
  );
}
