import { makeProfile, open, ProfileError } from '@plugboard/host';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { collect } from './agents.ts';

it('makes a profile of fields as they stand in a program', async () => {
  using directory = temporaryDirectory();
  const fields = { dialect: 'agentproc', command: 'pwd', timeout_secs: 5 };
  const profile = await makeProfile(fields, { name: 'mine', directory: directory.path });
  expect(profile).toMatchObject({ name: 'mine', dialect: 'agentproc', workspace: directory.path });
  const agent = open(profile, { environment: process.env });
  expect((await collect(agent)).end).toMatchObject({ outcome: 'success', text: directory.path });
  await agent.close();
});

it.each([
  [{ dialect: 'agentproc', comand: 'x' }, /^mine: unknown field "comand"\. Did you mean "command"\?/m],
  [{ dialect: 'nuhm', command: 'x' }, /^mine: unknown dialect "nuhm"/],
  [{ dialect: 'terminal', command: 7 }, /^mine: command: /],
])('names what is wrong with %j', async (fields, problem) => {
  const made = makeProfile(fields, { name: 'mine', directory: '/tmp' });
  await expect(made).rejects.toBeInstanceOf(ProfileError);
  await expect(made).rejects.toThrow(problem);
});
