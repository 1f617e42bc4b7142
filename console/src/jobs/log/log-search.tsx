import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';

type Direction = 'next' | 'previous';

/** Searches the shown log. Enter finds the next match, Shift+Enter the previous one. */
export function LogSearch({ onSearch }: { onSearch: (text: string, direction: Direction) => boolean }) {
  const [wanted, setWanted] = useState('');
  const [missing, setMissing] = useState(false);
  const find = (direction: Direction) => setMissing(wanted !== '' && !onSearch(wanted, direction));
  return (
    <div className="job-log-search">
      <Input
        type="search"
        ariaLabel="Search the log"
        clearAriaLabel="Clear the search"
        placeholder="Search the log"
        value={wanted}
        onChange={({ detail }) => {
          setWanted(detail.value);
          setMissing(false);
        }}
        onKeyDown={({ detail }) => {
          if (detail.key === 'Enter') find(detail.shiftKey ? 'previous' : 'next');
        }}
      />
      <Button iconName="angle-up" variant="icon" ariaLabel="Previous match" onClick={() => find('previous')} />
      <Button iconName="angle-down" variant="icon" ariaLabel="Next match" onClick={() => find('next')} />
      <Box variant="small">
        <span role="status">{missing && 'Not found'}</span>
      </Box>
    </div>
  );
}
