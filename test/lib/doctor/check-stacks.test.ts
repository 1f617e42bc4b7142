import { expect, it } from 'vitest';
import { STACKS } from '../../../lib/doctor/deployment/stacks.ts';
import { addStacks } from '../../../lib/stacks/add-stacks.ts';
import { codeOf, deployment, testApp, VERSION } from '../stacks/synthesis.ts';

const stacks = addStacks(testApp(), { deployment: deployment({ deploymentName: 'team' }), version: VERSION, codeOf });

it('the doctor checks every stack of a deployment', () => {
  const names = Object.values(stacks).map(({ stackName }) => stackName);
  expect(STACKS.map((part) => `team-${part}`).sort()).toEqual(names.sort());
});
