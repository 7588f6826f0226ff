import { type OpenOptions, open } from '@plugboard/host';
import { createTurn, type DialectName, type End, type Event, type TurnInput } from '@plugboard/protocol';
import { profileFor } from '@plugboard/testkit';

/** Opens a shell script as an agent. */
export function openScript(
  dialect: DialectName,
  script: string,
  workspace: string,
  settings: Partial<Record<string, unknown>> = {},
  options: Partial<OpenOptions> = {},
) {
  const profile = profileFor(dialect, ['/bin/sh', '-c', script], workspace, settings);
  return open(profile, { environment: process.env, ...options });
}

/** Opens a few lines of JavaScript as an agent. */
export function openNode(
  dialect: DialectName,
  code: string,
  workspace: string,
  settings: Partial<Record<string, unknown>> = {},
) {
  const profile = profileFor(
    dialect,
    [process.execPath, '--input-type=module', '-e', code],
    workspace,
    settings,
  );
  return open(profile, { environment: process.env });
}

/** All events of one turn, and its end. */
export async function collect(
  agent: ReturnType<typeof open>,
  turn: Partial<TurnInput> = {},
  signal?: AbortSignal,
): Promise<{ events: Event[]; end: End }> {
  const events: Event[] = [];
  const run = agent.run(createTurn({ id: 't', text: 'hi', ...turn }), signal);
  for await (const event of run) events.push(event);
  return { events, end: await run.result };
}

/** The texts of the messages among events. */
export function texts(events: readonly Event[]): string[] {
  return events.flatMap((event) => (event.type === 'message' ? [event.text] : []));
}

/** The codes of the faults among events. */
export function faults(events: readonly Event[]): string[] {
  return events.flatMap((event) => (event.type === 'fault' ? [event.fault.code] : []));
}
