import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { runAttempt } from '../../../worker-container/attempt/run-attempt.ts';
import { emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

/** Runs one attempt of a script, and prints what became of it as JSON. */
const [prompt = ''] = process.argv.slice(2);
const deployment = await emulateDeployment();
try {
  const { creation, worker } = await openWorker(deployment);
  const { id } = await createJob(creation, { prompt, retries: 1 }, 'token:test');
  const held = await deployment.dispatchQueues.receive('normal', 5);
  const job = await deployment.jobs.get(id, { consistent: true });
  if (job === undefined || held === undefined) throw new Error('the job was not created');
  const claimed = await transition(deployment, job, { type: 'claim', workerId: worker.workerId });
  if (!claimed.done) throw new Error(claimed.rejected);
  let survived = 0;
  const onSurvivors = () => (survived += 1);
  const context = { ...worker, killTimeoutMs: 500, onSurvivors };
  const ended = await runAttempt(context, claimed.job, held, new AbortController().signal);
  const receipt = await deployment.readReceipt(id, 1);
  process.stdout.write(JSON.stringify({ status: ended?.status, receipt, survived }));
} finally {
  await deployment.stop();
}
