import { handle } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { endSession as route } from '../../lib/contract/routes/sessions.ts';

/** `DELETE /sessions/{id}` */
export const handler = handle(
  route,
  ({ sessions }) => sessions,
  async ({ params }, _call, sessions) => {
    if (!(await sessions.end(params.id))) throw ApiError.of('not_found');
    return {};
  },
);
