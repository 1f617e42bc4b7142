import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';

/** Says why the list is empty and what to do about it. */
export function NoJobs({ filtered, onClear, onNew }: { filtered: boolean; onClear: () => void; onNew?: () => void }) {
  return (
    <Box textAlign="center" padding="l">
      <SpaceBetween size="s">
        <Box variant="h2" fontSize="heading-s">
          {filtered ? 'No job matches' : 'No jobs yet'}
        </Box>
        <Box color="text-body-secondary">
          {filtered ? 'Take a filter away to see more.' : 'Create one here, or post a prompt to /api/v1/jobs.'}
        </Box>
        {filtered ? (
          <Button onClick={onClear}>Clear all filters</Button>
        ) : (
          onNew && <Button onClick={onNew}>New job</Button>
        )}
      </SpaceBetween>
    </Box>
  );
}
