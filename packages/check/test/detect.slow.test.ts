import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCRIPTED_ACP, SCRIPTED_CLAUDE, SCRIPTED_CODEX, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { detectDialect } from '../src/detect/detect.ts';
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

describe.concurrent('Detection', () => {
  it('lists every dialect of an agent that speaks them all, in a stable order', async () => {
    const all = await dialectsOf(process.execPath, at('good/sdk.mjs'));
    expect(all).toEqual(['nuum', 'acp', 'agentproc/v4', 'agentproc', 'nib', 'terminal']);
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

  it('finds Claude Code by its flags, without a turn', async () => {
    expect(await dialectsOf(...SCRIPTED_CLAUDE)).toEqual(['claude']);
  });

  it('finds Codex by its answer to initialize, without a turn', async () => {
    expect(await dialectsOf(...SCRIPTED_CODEX)).toEqual(['codex']);
  });

  it('finds an agent of ACP by its answer to initialize, without a turn', async () => {
    expect(await dialectsOf(...SCRIPTED_ACP)).toEqual(['acp']);
  });

  it('asks a program that is named claude nothing but an initialize request', async () => {
    using directory = temporaryDirectory();
    const program = join(directory.path, 'claude');
    const seen = join(directory.path, 'seen');
    const script = `#!/bin/sh\necho "$*" >> ${seen}\nexec ${SCRIPTED_CLAUDE.join(' ')} "$@"\n`;
    writeFileSync(program, script, { mode: 0o755 });
    expect(await dialectsOf(program)).toEqual(['claude']);
    expect(readFileSync(seen, 'utf8').trim().split('\n')).toEqual([
      expect.stringMatching(/^-p --input-format/),
    ]);
  });

  it('takes a program that prints text for a plain terminal agent, and says that this is a guess', async () => {
    const found = await detectDialect([at('good/terminal-plain.sh')], { environment: ENVIRONMENT });
    const why = expect.stringContaining('weak guess');
    expect(found).toEqual([{ dialect: 'terminal', why, plain: true }]);
  });

  it('finds nothing in a program that fails, or cannot be started', async () => {
    expect(await dialectsOf('sh', '-c', 'echo no; exit 1')).toEqual([]);
    expect(await dialectsOf('plugboard-no-such-program')).toEqual([]);
  });
});
