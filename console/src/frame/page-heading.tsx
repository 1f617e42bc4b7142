import { useShownPageTitle } from '../page/page-title.ts';

/** The first heading of a page that has none: one that loads, or that could not be loaded. The style sheet hides it otherwise. */
export function PageHeading() {
  const title = useShownPageTitle();
  return title === '' ? null : <h1 className="page-heading">{title}</h1>;
}
