import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useContext, useState } from 'react';
import { Link } from 'react-router';
import { useMayAct } from '../api/session.ts';
import { WriteFailure } from '../feedback/write-failure.tsx';
import { diagramPath, diagramsQuery, useWriteDiagram } from './diagram-queries.ts';
import { Drawing } from './drawing.tsx';
import { MessageSourceContext } from './message-source.ts';
import { suggestedName } from './suggested-name.ts';

interface MermaidBlockProps {
  readonly text: string;
  /** The text as a block of code. */
  readonly children: ReactNode;
}

/** A diagram in a message: its text, on demand its drawing, and a button that keeps it with the job's project. */
export function MermaidBlock({ text, children }: MermaidBlockProps) {
  const [isDrawn, setDrawn] = useState(false);
  return (
    <div className="mermaid-block">
      {isDrawn ? <Drawing text={text} title="Diagram of the message" /> : children}
      <SpaceBetween size="xs" direction="horizontal">
        <Button ariaExpanded={isDrawn} onClick={() => setDrawn(!isDrawn)}>
          {isDrawn ? 'Show text' : 'Draw'}
        </Button>
        <Keep text={text} />
      </SpaceBetween>
    </div>
  );
}

function Keep({ text }: { text: string }) {
  const source = useContext(MessageSourceContext);
  const mayAct = useMayAct();
  const client = useQueryClient();
  const write = useWriteDiagram();
  const keep = useMutation({
    mutationFn: async ({ projectId, jobId }: NonNullable<typeof source>) => {
      // Read now: another diagram of the name would be replaced.
      const { items } = await client.fetchQuery({ ...diagramsQuery(projectId), staleTime: 0 });
      const name = suggestedName(
        text,
        items.map((one) => one.name),
      );
      return await write.mutateAsync({ project: projectId, name, text, source_job: jobId });
    },
  });
  if (source === undefined || !mayAct) return null;
  if (keep.data !== undefined) {
    const { project_id, name } = keep.data;
    return (
      <span className="mermaid-kept">
        Kept as{' '}
        <Link className="job-link" to={diagramPath(project_id, name)}>
          {name}
        </Link>
      </span>
    );
  }
  return (
    <>
      <Button loading={keep.isPending} onClick={() => keep.mutate(source)}>
        Keep as diagram
      </Button>
      {keep.error && (
        <WriteFailure
          error={keep.error}
          rejected="The diagram was not kept"
          done="the diagram was kept"
          next="The page Diagrams shows whether it was."
        />
      )}
    </>
  );
}
