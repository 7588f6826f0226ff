import { describe, expect, it } from 'vitest';
import { detectDialect } from '../src/index.ts';
import { at } from './agents.ts';
import { ENVIRONMENT } from './environment.ts';

async function dialectsOf(...command: readonly string[]): Promise<string[]> {
  const environment = {
    ...ENVIRONMENT,
    AGENT_MESSAGE: 'an outer turn',
    NIB_AGENT_REQUEST_FILE: '/an/outer/request.json',
  };
  const found = await detectDialect(command, { environment, timeoutSecs: 8 });
  return found.map(({ dialect }) => dialect);
}

describe('Detection', () => {
  it('lists every dialect of an agent that speaks them all, in a stable order', async () => {
    const all = await dialectsOf(process.execPath, at('good/sdk.mjs'));
    expect(all).toEqual(['nuum', 'agentproc/v4', 'agentproc', 'nib', 'terminal']);
  });

  it.each([
    ['terminal.mjs', 'terminal'],
    ['agentproc.sh', 'agentproc'],
    ['agentproc-minimal.sh', 'agentproc'],
    ['agentproc-v4.mjs', 'agentproc/v4'],
    ['nib.mjs', 'nib'],
    ['nib-echo.sh', 'nib'],
    ['nuum.mjs', 'nuum'],
  ])('finds the one dialect of %s', async (file, dialect) => {
    expect(await dialectsOf(at(`good/${file}`))).toEqual([dialect]);
  });

  it('takes a program that prints text for a plain terminal agent, and says that this is a guess', async () => {
    const found = await detectDialect([at('good/terminal-plain.sh')], { environment: ENVIRONMENT });
    expect(found).toEqual([{ dialect: 'terminal', why: expect.stringContaining('weak guess') }]);
  });

  it('finds nothing in a program that fails, or cannot be started', async () => {
    expect(await dialectsOf('sh', '-c', 'echo no; exit 1')).toEqual([]);
    expect(await dialectsOf('plugboard-no-such-program')).toEqual([]);
  });
});
