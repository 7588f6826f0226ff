import { type DialectName, serve } from '@plugboard/agent';
import { terminalText } from '@plugboard/protocol';
import { handlerOf, unaskedOf } from '../agent/handler.ts';
import { describePolicy } from '../policy/describe.ts';
import { createPolicy } from '../policy/policy.ts';
import { VERSION } from '../version.ts';
import type { OpenNuum } from './agent.ts';
import { ALL_TOOL_NAMES } from './names.ts';
import type { Settings } from './settings.ts';

/** Serves the host on stdin and stdout until it closes them. */
export function serveHost(
  { nuum, memory, model }: OpenNuum,
  settings: Settings,
  as?: DialectName,
): Promise<never> {
  // `echo hi | nuum` has no host, and its output goes to a terminal.
  const clean = process.stdout.isTTY ? terminalText : (text: string) => text;
  return serve(handlerOf(nuum, memory.session, clean), {
    ...(as === undefined ? {} : { as }),
    version: VERSION,
    session: memory.session,
    model,
    tools: ALL_TOOL_NAMES,
    details: {
      cwd: settings.directory,
      permissions: describePolicy(createPolicy(settings.policy), settings.directory),
    },
    operations: 'any',
    admit: (turn) => nuum.admit(turn),
    unasked: unaskedOf(nuum, clean),
    close: () => nuum.close(),
  });
}
