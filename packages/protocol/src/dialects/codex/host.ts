import { endByExit } from '../../codex-common/failure.ts';
import type { HostSide } from '../../contract/host-side.ts';
import { createRpcStep } from '../../rpc-host/host.ts';
import { currentTurn } from '../../rpc-host/state.ts';
import { probe, readAnswer } from './answers.ts';
import { answerAsk, readRequest } from './asks.ts';
import { failLateStart, initialize } from './handshake.ts';
import { launchCodex } from './launch.ts';
import { readNotification } from './notifications.ts';
import type { CodexSettings } from './settings.ts';
import { type Call, type CodexHostState, type Conversation, conversationOf, createState } from './state.ts';
import { canSteer, steer } from './steering.ts';
import { failLateOpening, openThread } from './threads.ts';
import { tellOutput } from './tools.ts';
import { beginTurn, endTurn, stopTurn } from './turns.ts';
import { rpc } from './wire.ts';

/** The output of a command is one line. */
const LINE_BYTES = 64 * 1024 * 1024;

export const codexHost: HostSide<CodexSettings, CodexHostState> = {
  process: 'per-session',
  lineBytes: LINE_BYTES,
  prewarmProblem: () => 'it is one process that stays',
  sharesProcess: ({ share }) => share,
  launch: launchCodex,
  initial: createState,
  currentTurn,
  step: createRpcStep<Conversation, CodexHostState, Call>({
    rpc,
    initialize,
    failStart: failLateStart,
    conversationOf,
    createInput: (turn, place) => ({ turn, place, isGiven: false }),
    canSteer,
    steer,
    open: openThread,
    prepare: () => true,
    begin: beginTurn,
    stop: stopTurn,
    endTurn,
    endBy: endByExit,
    answerAsk,
    probe,
    readNotification,
    readRequest,
    readAnswer,
    runOut(state, what, conversation, out) {
      if (what === 'open') failLateOpening(state, conversation, out);
      else if (what === 'output') tellOutput(conversation, out);
    },
  }),
};
