import type { HostSide } from '../../contract/host-side.ts';
import { createRpcStep } from '../../rpc-host/host.ts';
import { currentTurn } from '../../rpc-host/state.ts';
import { probe, readAnswer } from './host-answers.ts';
import { answerAsk, readRequest, readWithdrawal } from './host-asks.ts';
import { failStart, initialize } from './host-handshake.ts';
import { prepareOptions } from './host-options.ts';
import { failOpeningLate, openSession } from './host-sessions.ts';
import {
  type AcpHostState,
  type Call,
  type Conversation,
  conversationOf,
  createState,
} from './host-state.ts';
import { canSteer, steer } from './host-steering.ts';
import { beginTurn, endBy, endLate, endTurn, giveUpTurn, stopTurn } from './host-turns.ts';
import { readUpdate } from './host-updates.ts';
import type { AcpSettings } from './settings.ts';
import { HOST_METHODS, rpc } from './wire.ts';

/** Images travel in base64. */
const LINE_BYTES = 64 * 1024 * 1024;

/** opencode takes up to 2.5 s for a cancel. A process that is stopped can lose its session, as Gemini CLI's does. */
const INTERRUPT_MS = 5_000;

export const acpHost: HostSide<AcpSettings, AcpHostState> = {
  process: 'per-session',
  lineBytes: LINE_BYTES,
  interruptMs: INTERRUPT_MS,
  prewarmProblem: () => 'it is one process that stays',
  sharesProcess: ({ share }) => share,
  launch: ({ command, env, cwd }) => ({ command, env, ...(cwd === undefined ? {} : { cwd }) }),
  initial: createState,
  currentTurn,
  step: createRpcStep<Conversation, AcpHostState, Call>({
    rpc,
    initialize,
    failStart,
    conversationOf,
    createInput: (turn, place) => ({ turn, place, isGiven: false, chosen: undefined }),
    canSteer,
    steer,
    open: openSession,
    prepare: prepareOptions,
    begin: beginTurn,
    stop: stopTurn,
    endTurn: (state, conversation, end, out) =>
      endTurn(state, conversation, conversation.turn?.end ?? end, out),
    endBy,
    answerAsk,
    probe,
    readNotification: (state, method, params, out) =>
      method === HOST_METHODS.update
        ? readUpdate(state, params, out)
        : readWithdrawal(state, method, params, out),
    readRequest,
    readAnswer,
    runOut(state, what, conversation, out) {
      if (what === 'open') failOpeningLate(state, conversation, out);
      else if (what === 'settle' && conversation.stage === 'settling') conversation.stage = 'open';
      else if (what === 'late') endLate(state, conversation, out);
      else if (what === 'cancel') giveUpTurn(state, conversation, out);
    },
  }),
};
