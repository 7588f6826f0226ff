import {
  createTurn,
  dialects,
  type HostSide,
  type LaunchContext,
  type Probe,
  type SessionRef,
  type Settings,
  type Turn,
} from '@plugboard/protocol';
import type { Ask, CloseOptions, Link, OpenAgent, Receive, ResidentControls } from '../agent.ts';
import { approve, offerToAsk } from '../approvals/approve.ts';
import { mediaAccessOf } from '../media/access.ts';
import type { OpenOptions } from '../open-options.ts';
import type { Profile } from '../profile/profile.ts';
import { onAbort } from '../run/abort.ts';
import { type Run, runOf } from '../run/queue.ts';
import { givenUp, refuse } from '../run/unbegun.ts';
import { createTurnMemory, type TurnMemory } from '../session/memory.ts';
import { createSessionOfProcess, type SessionOfProcess } from '../session/placeholder.ts';
import { createConversation, refusedEffects } from './conversation.ts';
import { createResidentLink, type ResidentLink } from './link.ts';
import { createProbes, type Probed, type Probes } from './probes.ts';
import {
  addTurn,
  createRuns,
  isBusy,
  type Runs,
  steer,
  stopCurrent,
  stopJob,
  takeEffects,
  tellIdleListeners,
  whenIdle,
} from './runs.ts';

/** A resident agent that is open. */
interface Resident {
  readonly profile: Profile;
  readonly session: SessionOfProcess;
  readonly memory: TurnMemory;
  readonly runs: Runs;
  readonly probes: Probes;
  readonly endListeners: (() => void)[];
  /** Set by `connect`: it then gets the effects, and `runs` none. */
  link: ResidentLink | undefined;
}

/** An agent with one process for many turns. */
export function openResident(
  profile: Profile,
  host: HostSide<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
): OpenAgent {
  const session = createSessionOfProcess(profile, options.fillSession === true);
  const probes = createProbes();
  const endListeners: (() => void)[] = [];
  const conversation = createConversation(session.profile, host, context, options, {
    onEffects(effects) {
      for (const effect of effects) if (effect.type === 'probed') probes.deliver(effect);
      const { link } = resident;
      if (link === undefined) return takeEffects(runs, effects);
      for (const effect of effects)
        if (effect.type === 'events' && effect.turnId === undefined) tellIdleListeners(runs, effect.events);
      link.take(effects);
    },
    onProcessEnd() {
      probes.abandon();
      for (const listener of endListeners) listener();
    },
    isAsking: () => runs.asks.pending() || resident.link?.isAsking() === true,
  });
  const { capabilities } = dialects[profile.dialect];
  const memory = createTurnMemory(options.memory, profile, capabilities);
  const runs = createRuns(conversation, approve(profile, options.ask), memory.remember);
  const resident: Resident = { profile, session, memory, runs, probes, endListeners, link: undefined };
  return {
    name: profile.name,
    dialect: profile.dialect,
    capabilities,
    run: (turn, signal, ask) => run(resident, turn, signal, ask),
    startAhead: (coming) => startAhead(resident, coming),
    takesTerminal: () => false,
    mediaAccess: (turn, since) => mediaAccessOf(profile, options.media ?? {}, { turn, since }),
    close: (how) => close(resident, how),
    resident: controlsOf(resident),
  };
}

function startAhead({ runs, session, memory }: Resident, coming: string | SessionRef | undefined): void {
  const named = typeof coming === 'string' ? { key: coming } : coming;
  if (runs.closed || (named !== undefined && session.take(named.key) !== undefined)) return;
  if (!session.isKnown()) return;
  const turn = named === undefined ? undefined : memory.recall(createTurn({ id: '', session: named }));
  runs.conversation.start(turn === undefined || 'message' in turn ? named : turn.session);
}

function run(
  { runs, session, profile, memory }: Resident,
  asked: Turn,
  signal: AbortSignal | undefined,
  ask: Ask | undefined,
): Run {
  if (runs.closed) return refuse({ code: 'closed', message: `The agent ${profile.name} has been closed.` });
  if (signal?.aborted) return givenUp();
  const problem = session.take(asked.session.key);
  if (problem !== undefined) return refuse(problem);
  const turn = memory.recall(asked);
  if ('message' in turn) return refuse(turn);
  const approved = approve(profile, ask);
  const job = addTurn(runs, offerToAsk(turn, approved), approved);
  onAbort(signal, () => stopJob(runs, job, isTimeout(signal) ? 'timeout' : 'cancel'), job.queue);
  return runOf(job.queue);
}

/** As `AbortSignal.timeout` gives it. */
function isTimeout(signal: AbortSignal | undefined): boolean {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name === 'TimeoutError';
}

/** The conversation as inputs and effects. A turn of a session that the process does not have ends at once. */
function connect(resident: Resident, receive: Receive): Link {
  const { runs, session, profile, memory } = resident;
  const { conversation } = runs;
  const approved = (ask: Ask | undefined): Ask | undefined => approve(profile, ask);
  const { remember } = memory;
  const link = createResidentLink({ conversation, approve: approved, remember }, receive);
  resident.link = link;
  return {
    ...link,
    send(turn) {
      const recalled = session.take(turn.session.key) ?? memory.recall(turn);
      if ('message' in recalled) void receive(refusedEffects(turn, { refused: recalled }));
      else link.send(recalled);
    },
  };
}

async function close({ runs, link }: Resident, how: CloseOptions = {}): Promise<void> {
  runs.closed = true;
  link?.close();
  for (const job of [...runs.waiting, ...[...runs.active.values()].flat()]) stopJob(runs, job);
  await runs.conversation.close(how);
  runs.unasked.close();
}

function controlsOf(resident: Resident): ResidentControls {
  const { runs, probes, endListeners } = resident;
  const probe = async (what: Probe): Promise<Probed | undefined> => {
    const answer = probes.expect(what);
    if (!runs.conversation.probe(what)) probes.abandon();
    return answer;
  };
  return {
    steer: (turn) => steer(runs, offerToAsk(withSessionOf(runs, turn), runs.ask)),
    interrupt: () => stopCurrent(runs),
    get busy() {
      return isBusy(runs);
    },
    whenIdle: () => whenIdle(runs),
    async status() {
      const answer = await probe('status');
      if (answer?.running === undefined) return undefined;
      const { running, session } = answer;
      return { running, ...(session === undefined ? {} : { session }) };
    },
    async heartbeat() {
      const started = performance.now();
      return (await probe('heartbeat')) === undefined ? undefined : performance.now() - started;
    },
    unasked: () => runs.unasked.iterate(),
    onUnread: (listener) => {
      runs.onUnread = listener;
    },
    onIdleEvent: (listener) => {
      runs.idleListeners.push(listener);
    },
    onProcessEnd: (listener) => {
      endListeners.push(listener);
    },
    connect: (receive) => connect(resident, receive),
  };
}

/** Steering belongs to the session of the turn that runs, however its caller has named it. */
function withSessionOf({ active }: Runs, turn: Turn): Turn {
  for (const jobs of active.values())
    for (const { turn: running } of jobs)
      if (running !== undefined) return { ...turn, session: { ...turn.session, key: running.session.key } };
  return turn;
}
