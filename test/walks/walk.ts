import { parseArgs } from 'node:util';
import { startService } from '../local-run/local-service.ts';
import { walkApi } from './walk-api.ts';

/** `npm run prove -- walk [--runs N] [--seed N]`: random walks over the API of a local run against the model of a job's life. */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } },
});
const service = await startService({ env: { PROMPTQ_CONCURRENCY: '4' } });
const began = performance.now();
try {
  const report = await walkApi(service, { runs: Number(values.runs), seed: Number(values.seed) });
  console.log(JSON.stringify({ ...report, seconds: Math.round((performance.now() - began) / 1000) }, null, 2));
} finally {
  await service.stop();
}
