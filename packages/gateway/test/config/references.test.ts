import { describe, expect, it } from 'vitest';
import { folder } from './folder.ts';

const agent = (env: string, dialect = 'terminal'): string =>
  `env: [A, B]\nagents:\n  a:\n    dialect: ${dialect}\n    command: x\n    env:\n      V: ${JSON.stringify(env)}\n`;

async function filled(env: string, environment: Record<string, string>): Promise<string | undefined> {
  using at = folder(agent(env));
  return (await at.read(environment)).agents.get('a')?.profile.settings.env.V;
}

describe('a reference to a variable', () => {
  it.each([
    ['${A}', 'one'],
    ['x ${A} y ${B} ${A}', 'x one y two one'],
    ['$${A}', '${A}'],
    ['$${A} ${A}', '${A} one'],
    ['$A $ { } $$', '$A $ { } $$'],
  ])('is followed in %s', async (env, value) => {
    expect(await filled(env, { A: 'one', B: 'two' })).toBe(value);
  });

  it('is followed once: what a variable holds is not looked at again', async () => {
    expect(await filled('${A}', { A: '${B}', B: '${A}' })).toBe('${B}');
    expect(await filled('${A}{B}', { A: '$', B: 'two' })).toBe('${B}');
  });

  it.each([
    ['${C}', { A: 'x', C: 'set' }, 'This file may refer to C only if "env" at its top lists it.'],
    ['${A}', {}, 'The variable A is not set.'],
    ['${A-b}', { A: 'x' }, 'A reference is ${NAME}; write $${ for these signs themselves.'],
    ['${', {}, 'A reference is ${NAME}; write $${ for these signs themselves.'],
    ['${${A}}', { A: 'B', B: 'x' }, 'A reference is ${NAME}; write $${ for these signs themselves.'],
  ])('in %s with %j is a problem and not empty', async (env, environment, sentence) => {
    using at = folder(agent(env));
    expect(await at.problems(environment)).toEqual([`plugboard.yaml:7:7: agents.a.env.V: ${sentence}`]);
  });

  it('is followed in any text, but not in commands, which have their own', async () => {
    using at = folder(
      'env: [A]\nserver: { names: ["${A}"] }\nstore: { file: "${A}.db" }\nagents: { a: { dialect: terminal, command: "echo ${A}", args: ["${A}"] } }',
    );
    const config = await at.read({ A: 'one' });
    expect(config.server.names).toEqual(['one']);
    expect(config.store.file).toBe(`${at.path}/one.db`);
    expect(config.agents.get('a')?.profile.settings.command).toEqual({ argv: ['echo ${A}', '${A}'] });
  });

  it('may name only variables by names that variables can have', async () => {
    using at = folder('env:\n  - "A B"\n  - 1\n');
    expect(await at.problems()).toEqual([
      'plugboard.yaml:2:5: env.0: A variable is named by letters, digits and _.',
      'plugboard.yaml:3:5: env.1: Expected text; put it in quotes.',
    ]);
  });
});

describe('a reference in the variables of an AgentProc agent, which fills them in by itself', () => {
  it.each([
    ['${A}', { A: 'plain $ {} text' }, true],
    ['${A} for {{SESSION_ID}}', { A: 'x' }, true],
    ['${A}', { A: 'has ${HOME}' }, false],
    ['${A}', { A: 'has {{MESSAGE}}' }, false],
    ['$${HOME}', { A: '' }, false],
  ])('%s with %j', async (env, environment, fine) => {
    using at = folder(agent(env, 'agentproc'));
    const problem =
      'plugboard.yaml:7:7: agents.a.env.V: AgentProc would fill in what stands in this value: give it in a profile file.';
    expect(await at.problems(environment)).toEqual(fine ? [] : [problem]);
  });
});
