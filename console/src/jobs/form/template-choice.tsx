import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { templatesQuery } from '../../form/catalog-choices.ts';
import { templatePath } from '../../form/template-path.ts';

/** Opens the form of a template instead of that of a job. Not shown if there is none. */
export function TemplateChoice() {
  const navigate = useNavigate();
  const { data: templates = [] } = useQuery(templatesQuery);
  if (templates.length === 0) return null;
  return (
    <ButtonDropdown
      items={templates.map(({ name, description }) => ({
        id: name,
        text: name,
        ...(description !== null && { secondaryText: description }),
      }))}
      onItemClick={({ detail }) => void navigate(`${templatePath(detail.id)}/run`)}
    >
      Use a template
    </ButtonDropdown>
  );
}
