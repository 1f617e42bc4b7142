import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { usePageTitle } from '../../page/page-title.ts';
import { compareAddress, parseSide, type SideRef } from '../queries/compare-address.ts';
import { jobQuery } from '../queries/job-query.ts';
import { lastList } from '../queries/last-list.ts';
import { Comparison } from './comparison.tsx';
import { sideNames, sideOf } from './side.ts';
import { SideCard } from './side-card.tsx';
import './compare.css';
import '../job/job-page.css';

/** Two attempts or jobs side by side: `/compare?a=JOB[:ATTEMPT]&b=JOB[:ATTEMPT]`. */
export function ComparePage() {
  usePageTitle('Compare');
  const [parameters] = useSearchParams();
  const [a, b] = [parseSide(parameters.get('a')), parseSide(parameters.get('b'))];
  return (
    <SpaceBetween size="m">
      <nav className="job-crumbs" aria-label="Breadcrumbs">
        <Link className="job-link small-target" to={lastList()}>
          Jobs
        </Link>
        <span aria-hidden="true">/</span>
        <span>Compare</span>
      </nav>
      {a && b ? <TwoSides a={a} b={b} /> : <NothingChosen />}
    </SpaceBetween>
  );
}

function TwoSides({ a, b }: { a: SideRef; b: SideRef }) {
  const navigate = useNavigate();
  const [jobA, jobB] = [useQuery(jobQuery(a.id)), useQuery(jobQuery(b.id))];
  const [nameA, nameB] = sideNames(jobA.data, jobB.data, [a, b]);
  const show = (one: SideRef, other: SideRef) => void navigate(compareAddress(one, other), { replace: true });
  const sideA = jobA.data && sideOf(nameA, jobA.data, a);
  const sideB = jobB.data && sideOf(nameB, jobB.data, b);
  const isReady = [sideA, sideB].every((side) => side !== undefined && side.attempt <= side.job.attempt);
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        actions={
          <SpaceBetween size="xs" direction="horizontal">
            <CopyToClipboard
              copyButtonText="Copy link"
              textToCopy={`${window.location.origin}${compareAddress(a, b)}`}
              copySuccessText="Copied"
              copyErrorText="Copy failed"
            />
            <Button onClick={() => show(b, a)}>Swap sides</Button>
          </SpaceBetween>
        }
      >
        Compare
      </Header>
      <div className="compare-columns">
        <SideCard name={nameA} sideRef={a} job={jobA} onChange={(ref) => show(ref, b)} />
        <SideCard name={nameB} sideRef={b} job={jobB} onChange={(ref) => show(a, ref)} />
      </div>
      {isReady && sideA && sideB && <Comparison a={sideA} b={sideB} />}
      {!isReady && !jobA.isPending && !jobB.isPending && (
        <Alert type="info">
          A comparison needs both sides. The side that is available can be opened from its title.
        </Alert>
      )}
    </SpaceBetween>
  );
}

function NothingChosen() {
  return (
    <SpaceBetween size="m">
      <Header variant="h1">Compare</Header>
      <Alert type="info" header="Choose two jobs or attempts">
        Select two jobs in the list and choose Compare, or open the Details of a job and compare one of its attempts
        with the newest. <Link to={lastList()}>Go to jobs</Link>
      </Alert>
    </SpaceBetween>
  );
}
