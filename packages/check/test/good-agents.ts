import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DialectName } from '@plugboard/protocol';
import { expect } from 'vitest';
import { at, check, failures } from './agents.ts';

const SDK = [process.execPath, at('good/sdk.mjs')];

/** The `hub/echo-agent` of the npm package `agentproc`. */
const NPM_ECHO = fileURLToPath(new URL('../hub/echo-agent/bridge.js', import.meta.resolve('agentproc')));

/** An agent written with the official SDK of ACP. */
const ACP_SDK = at('../../host/test/programs/acp-sdk-agent.ts');

const AGENTS: Readonly<Record<DialectName, readonly (readonly string[])[]>> = {
  nib: [SDK, [process.execPath, at('good/nib.mjs')], [at('good/nib-echo.sh')]],
  agentproc: [SDK, [at('good/agentproc.sh')], [at('good/agentproc-minimal.sh')]],
  'agentproc/v4': [
    SDK,
    [process.execPath, at('good/agentproc-v4.mjs')],
    [process.execPath, at('good/agentproc-npm.mjs')],
    [process.execPath, NPM_ECHO],
  ],
  terminal: [SDK, [process.execPath, at('good/terminal.mjs')], [at('good/terminal-plain.sh')]],
  nuum: [
    [...SDK, '--stdio'],
    [process.execPath, at('good/nuum.mjs')],
  ],
  claude: [],
  acp: [SDK, [process.execPath, ACP_SDK]],
  codex: [],
  'codex/exec': [],
};

/** Each good agent with its dialect and a name for the test. */
export const GOOD_AGENTS = Object.entries(AGENTS).flatMap(([dialect, commands]) =>
  commands.map((command) => ({
    name: `${command.map((word) => basename(word)).join(' ')} passes every check of ${dialect}`,
    command,
    dialect: dialect as DialectName,
  })),
);

export async function expectGoodAgent({ command, dialect }: (typeof GOOD_AGENTS)[number]): Promise<void> {
  const report = await check(command, dialect);
  expect(failures(report)).toEqual([]);
  expect(report.passed).toBeGreaterThan(10);
}
