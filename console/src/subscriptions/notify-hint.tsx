import { Link } from 'react-router';
import { TARGET_CHOICES } from './target-kinds.ts';

/** Leads to the form of a subscription, with a link for each way to be notified. */
export function NotifyHint() {
  return TARGET_CHOICES.map(({ value, label }, at) => (
    <span key={value}>
      {at > 0 && (at === TARGET_CHOICES.length - 1 ? ' or ' : ', ')}
      <Link to={`/subscriptions/-/new?to=${value}`}>{label.replace(', ', ' ')}</Link>
    </span>
  ));
}
