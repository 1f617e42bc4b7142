import { expect, onTestFinished, test } from 'vitest';
import { startPracticeVendor } from '../../../../lib/local/practice-vendor/practice-vendor.ts';
import { codex } from '../../../../worker-container/agents/codex.ts';
import { runAgent } from '../../../worker-container/agents/run-agent.ts';

// Alone in its file, so that it runs beside the others: codex comes back from a command after 30 s at the soonest.
test("the vendor waits for a command that outlasts codex's own wait", async () => {
  const vendor = await startPracticeVendor();
  onTestFinished(() => vendor.close());
  const { facts } = await runAgent(codex, {
    vendor,
    prompt: 'drill: tool echo began; sleep 32; echo ended\ndrill: tool echo next',
  });
  expect(facts.finalMessage).toMatch(/began\nended\n[\s\S]*next$/);
});
