import type { JsonValue } from '@plugboard/protocol';
import { cancelTurn, dismissAgents, halt, takenInBy } from '../sessions/control.ts';
import type { Engine } from '../sessions/engine.ts';
import { isSteerable } from '../sessions/running.ts';
import type { PeerQuestion } from './peers.ts';

/** Does what another gateway asks for a session that this one runs. */
export async function answerPeer(
  engine: Engine,
  question: PeerQuestion,
  drain: (isDraining: boolean) => void,
): Promise<JsonValue> {
  switch (question.kind) {
    case 'taken-in': {
      const running = engine.running.get(question.sessionId);
      return running === undefined ? null : takenInBy(running);
    }
    case 'halt':
      return halt(engine, question.sessionId);
    case 'cancel-turn': {
      const running = engine.running.get(question.sessionId);
      if (running?.claim.turn.id !== question.turnId) return false;
      await cancelTurn(engine, running);
      return true;
    }
    case 'can-steer': {
      const running = engine.running.get(question.sessionId);
      return running?.claim.turn.id === question.turnId && isSteerable(running);
    }
    case 'dismiss':
      dismissAgents(engine, question.sessionId, question.except);
      return true;
    case 'answer':
      return engine.asks.answer(question.askId, question.answer);
    case 'drain':
      drain(question.isDraining);
      return true;
    default:
      throw new Error('This gateway does not know that question: it is of an older version.');
  }
}
