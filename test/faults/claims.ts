import { parseArgs } from 'node:util';
import { emulateDeployment } from '../stand-ins/emulated-deployment.ts';
import { raceForClaims } from './claim-race.ts';

/** `npm run prove -- claims [--jobs N] [--claimers N] [--seed N]`: claimers race for messages delivered three times. */
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    claimers: { type: 'string', default: '64' },
    seed: { type: 'string', default: '1' },
  },
});
const deployment = await emulateDeployment();
try {
  const race = await raceForClaims(deployment, {
    jobs: Number(values.jobs),
    claimers: Number(values.claimers),
    seed: Number(values.seed),
  });
  console.log(JSON.stringify(race, null, 2));
  process.exitCode = race.claims === race.jobs && race.wrong.length === 0 ? 0 : 1;
} finally {
  await deployment.stop();
}
