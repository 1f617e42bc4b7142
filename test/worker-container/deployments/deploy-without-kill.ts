import { BindingSecretStore } from '../../../lib/deployments/bindings/binding-secrets.ts';
import { writeBinding } from '../../../lib/deployments/bindings/write-binding.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { runAttempt } from '../../../worker-container/attempt/attempt.ts';
import { runDeployments } from '../../../worker-container/deployments/deploy-commands.ts';
import { emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

/** Runs the command of a deploy binding for one job, and prints what became of it as JSON. */
const [command = ''] = process.argv.slice(2);
const deployment = await emulateDeployment();
try {
  const { creation, worker } = await openWorker(deployment);
  const { projects, registry } = deployment;
  const bindings = { ...deployment, secrets: new BindingSecretStore(registry), projects, reach: { loopback: false } };
  await writeBinding(bindings, { binding_mode: 'custom', project: 'site', name: 'deploy', command });
  const { id } = await createJob(creation, { prompt: 'true', project: 'site' }, 'token:test');
  const held = await deployment.dispatchQueues.receive('normal', 5);
  const job = await deployment.jobs.get(id, { consistent: true });
  if (job === undefined || held === undefined) throw new Error('the job was not created');
  const claimed = await transition(deployment, job, { type: 'claim', workerId: worker.workerId });
  if (!claimed.done) throw new Error(claimed.rejected);
  const never = new AbortController().signal;
  await runAttempt(worker, claimed.job, held, never);
  let survived = 0;
  const onSurvivors = () => (survived += 1);
  await runDeployments({ ...worker, killTimeoutMs: 500, onSurvivors }, { id }, never);
  const [made] = await deployment.deployments.list(id);
  process.stdout.write(JSON.stringify({ state: made?.state, error: made?.error, log: made?.log, survived }));
} finally {
  await deployment.stop();
}
