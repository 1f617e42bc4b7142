import type * as z from 'zod';
import { ApiError, InvalidFieldError } from '../contract/errors.ts';
import { quoted } from '../contract/input/legible.ts';
import { LIMITS } from '../contract/limits.ts';
import type { diagram as diagramView, diagramWrite } from '../contract/schemas/diagram.ts';
import { type Clock, timestamp } from '../platform/aws/table-clock.ts';
import { untilFirst } from '../platform/until-first.ts';
import { DEFAULT_PROJECT, type ProjectStore } from '../projects/projects.ts';
import type { Diagram, DiagramStore, DiagramSummary } from './diagram-store.ts';

interface DiagramContext {
  readonly diagrams: DiagramStore;
  readonly projects: ProjectStore;
}

interface WriteContext extends DiagramContext {
  readonly clock: Clock;
  /** Whether there is a job with this id. */
  readonly hasJob: (id: string) => Promise<boolean>;
}

type DiagramView = z.input<typeof diagramView>;

/** A project's diagrams. A project that does not exist has none. @param reference id or name. Default: `local_project` */
export async function listDiagrams(
  { diagrams, projects }: DiagramContext,
  reference: string | undefined,
): Promise<Omit<DiagramView, 'text'>[]> {
  const project = await projects.find(reference ?? DEFAULT_PROJECT);
  return project === undefined ? [] : (await diagrams.list(project.id)).map(viewOf);
}

/** @throws ApiError `not_found` */
export async function readDiagram(
  { diagrams, projects }: DiagramContext,
  reference: string | undefined,
  name: string,
): Promise<DiagramView> {
  const project = await projects.find(reference ?? DEFAULT_PROJECT);
  const found = project && (await diagrams.get(project.id, name));
  if (found === undefined) throw ApiError.of('not_found');
  return viewOf(found);
}

/**
 * Creates or replaces a diagram, and its project if jobs could name it.
 * @throws InvalidFieldError if the project has no room for another one, or the job does not exist
 */
export async function writeDiagram(
  context: WriteContext,
  { project: reference = DEFAULT_PROJECT, name }: { readonly project?: string | undefined; readonly name: string },
  { text, source_job }: z.output<typeof diagramWrite>,
): Promise<{ readonly view: DiagramView; readonly created: boolean }> {
  const { diagrams, projects, clock } = context;
  if (source_job !== undefined && !(await context.hasJob(source_job)))
    throw InvalidFieldError.of('source_job', `received ${quoted(source_job)}; expected the id of an existing job`);
  return await untilFirst<{ view: DiagramView; created: boolean }>(async () => {
    const project = await projects.resolve(reference);
    const at = timestamp(clock.now());
    const content = { text, bytes: Buffer.byteLength(text), updated_at: at, ...(source_job && { source_job }) };
    const replaced = await diagrams.replace({ project_id: project.id, name }, content);
    if (replaced !== undefined) return { result: { view: viewOf(replaced), created: false } };
    const { perProject } = LIMITS.diagrams;
    if ((await projects.diagramCount(project.id)) >= perProject)
      throw InvalidFieldError.of([], `the project has ${perProject} diagrams already, the most that are allowed`);
    const made: Diagram = { project_id: project.id, project: project.name, name, created_at: at, ...content };
    return (await diagrams.create(made)) ? { result: { view: viewOf(made), created: true } } : undefined;
  });
}

/** @throws ApiError `not_found` */
export async function deleteDiagram(
  { diagrams, projects }: DiagramContext,
  reference: string | undefined,
  name: string,
): Promise<DiagramView> {
  const project = await projects.find(reference ?? DEFAULT_PROJECT);
  if (project === undefined) throw ApiError.of('not_found');
  return await untilFirst(async () => {
    const found = await diagrams.get(project.id, name);
    if (found === undefined) throw ApiError.of('not_found');
    return (await diagrams.delete(found)) ? { result: viewOf(found) } : undefined;
  });
}

function viewOf<D extends DiagramSummary>(diagram: D): D & { readonly source_job: string | null } {
  return { ...diagram, source_job: diagram.source_job ?? null };
}
