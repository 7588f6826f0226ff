import { tmpdir } from 'node:os';
import type { Child } from '@plugboard/process';
import {
  dialects,
  type Failure,
  type HostSide,
  type Launch,
  type LaunchContext,
  type Settings,
  type Turn,
} from '@plugboard/protocol';
import type { Ask, OpenAgent } from '../agent.ts';
import { approve, offerToAsk } from '../approvals/approve.ts';
import { mediaAccessOf } from '../media/access.ts';
import type { OpenOptions } from '../open-options.ts';
import { ensureDirectory } from '../process/ensure-directory.ts';
import { takeLimitWarning } from '../process/limit-warning.ts';
import { writeRequestFile } from '../process/request-file.ts';
import { createStarter, type Starter } from '../process/starter.ts';
import type { Profile } from '../profile/profile.ts';
import { createClock } from '../run/clock.ts';
import type { Run } from '../run/queue.ts';
import { givenUp, refuse } from '../run/unbegun.ts';
import { createTurnMemory } from '../session/memory.ts';
import { createTurnPool, type TurnPool } from './pool.ts';
import { type Begun, runOneShot, type TurnResources } from './turn.ts';

/** An agent that gets a process for each turn. */
export function openOneShot(
  profile: Profile,
  host: HostSide<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
): OpenAgent {
  const { capabilities } = dialects[profile.dialect];
  const memory = createTurnMemory(options.memory, profile, capabilities);
  const running = new Set<Child>();
  const start = createStarter(profile, options);
  const pool = createTurnPool(profile, host, context, start);
  const resources: TurnResources = {
    profile,
    host,
    context,
    clock: createClock(),
    media: options.media ?? {},
    tap: (turn) => options.recorder?.tap(profile, turn),
    start(launch) {
      const begun = begin(launch, pool, start, options);
      if ('message' in begun) return begun;
      const { child } = begun;
      running.add(child);
      child.ended.then(() => running.delete(child));
      return begun;
    },
    onEvents: (turn, events) =>
      memory.remember(turn, events) ?? pool?.takeComplaint() ?? takeLimitWarning(profile),
  };
  let closed = false;
  return {
    name: profile.name,
    dialect: profile.dialect,
    capabilities,
    run(asked: Turn, signal?: AbortSignal, by?: Ask): Run {
      if (closed) return refuse({ code: 'closed', message: `The agent ${profile.name} has been closed.` });
      if (signal?.aborted) return givenUp();
      const ask = approve(profile, by);
      const turn = memory.recall(offerToAsk(asked, ask));
      if ('message' in turn) return refuse(turn);
      const launch = host.launch(profile.settings, context, turn);
      return 'refused' in launch
        ? refuse(launch.refused)
        : runOneShot(turn, launch, resources, { signal, ask });
    },
    startAhead() {
      if (!closed) pool?.startAhead();
    },
    takesTerminal(turn) {
      const launch = host.launch(profile.settings, context, turn);
      return !('refused' in launch) && launch.requestFile !== undefined;
    },
    mediaAccess(turn, since) {
      const launch = host.launch(profile.settings, context, turn);
      return mediaAccessOf(profile, resources.media, {
        turn,
        since,
        ...('refused' in launch ? {} : { launch }),
      });
    },
    async close(how = {}) {
      closed = true;
      for (const child of running) child.stop('cancel', how);
      await Promise.all([pool?.close(how), ...[...running].map((child) => child.ended)]);
      resources.clock.close();
    },
  };
}

/** Starts a process for a turn, or takes a prewarmed process. */
function begin(
  launch: Launch,
  pool: TurnPool | undefined,
  start: Starter,
  options: OpenOptions,
): Begun | Failure {
  const { ensureDirectory: directory, requestFile } = launch;
  const problem = directory === undefined ? undefined : ensureDirectory(directory);
  if (problem !== undefined) return problem;
  if (requestFile === undefined) return pool?.takeFor(launch) ?? { child: start(launch) };
  const file = writeRequestFile(options.temporary ?? tmpdir(), requestFile.content);
  if ('message' in file) return file;
  const child = start(launch, { [requestFile.variable]: file.path });
  const ended = child.ended.finally(file.remove);
  return { child: { ...child, ended } };
}
