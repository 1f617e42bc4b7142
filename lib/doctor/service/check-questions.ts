import { counted, type Finding, ok, span, warning } from '../finding.ts';
import { dataOf, type Service } from './service.ts';

const CHECK = 'questions';

/** Checks whether jobs wait for a person's answer. @param time of the service, RFC 3339 */
export async function checkQuestions({ api }: Service, time: string): Promise<Finding[]> {
  const query = { needs: 'answer', order: 'oldest', limit: 1 } as const;
  const { items, total } = await dataOf('GET /jobs', api.GET('/api/v1/jobs', { params: { query } }));
  const [oldest] = items;
  if (oldest === undefined) return [ok(CHECK, 'none is open')];
  const params = { path: { id: oldest.id } };
  const asked = await dataOf('GET /jobs/{id}/questions', api.GET('/api/v1/jobs/{id}/questions', { params }));
  const at = asked.items.find(({ state }) => state === 'open')?.asked_at ?? time;
  return [
    warning(
      CHECK,
      `${counted(total, 'job')} waiting for an answer; ${oldest.id} asked ${span(Date.parse(time) - Date.parse(at))} ago`,
      'Answer by `promptq questions` and `promptq answer`, or on the page Questions.',
    ),
  ];
}
