/** The address of a template's page. Names need no encoding; one in a hostile address does. */
export function templatePath(name: string, version?: number): string {
  return `/templates/${encodeURIComponent(name)}${version === undefined ? '' : `?version=${version}`}`;
}

/** The address of the form of a new template. No template has this name. */
export const NEW_TEMPLATE = '/templates/-/new';
