import { expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { JobTextStore } from '../../../../lib/jobs/store/job-texts.ts';
import { emulateDeployment } from '../../../emulated-deployment.ts';
import { aJob } from '../a-job.ts';

it('large texts are kept whole although their searchable beginning ends within a character', async () => {
  const deployment = await emulateDeployment();
  try {
    const texts = { prompt: `${'x'.repeat(7_999)}😀${'y'.repeat(LIMITS.inlineSpecBytes)}`, project: 'local_project' };
    const owner = aJob({ texts: JobTextStore.address(texts) });
    await deployment.texts.put(owner, texts);
    expect(await deployment.texts.get(owner)).toEqual(texts);
  } finally {
    await deployment.stop();
  }
});
