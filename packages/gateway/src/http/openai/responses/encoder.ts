import type { StoredTurn } from '@plugboard/store';
import { encodeEvent } from '../../stream.ts';
import type { AnswerEncoder } from '../answer.ts';
import { openaiError } from '../error.ts';
import { addPiece, closeOutput, createOutput, type Output, type StreamEvent } from './output.ts';
import { type Echo, type Progress, viewResponse } from './shape.ts';

/** Encodes a stream of numbered events: `response.created`, the items, `response.completed` or `response.failed`. */
export function createResponseEncoder(
  echo: Echo,
  requestId: string,
  send: (text: string) => void,
): AnswerEncoder {
  let begun: { readonly turn: StoredTurn; readonly output: Output } | undefined;
  let sequence_number = 0;
  const sendEvent = (event: StreamEvent): void => {
    send(encodeEvent(event.type, { ...event, sequence_number }));
    sequence_number += 1;
  };
  const stand = (type: StreamEvent['type'], progress: Omit<Progress, 'output'>): void => {
    if (begun === undefined) return;
    const { turn, output } = begun;
    sendEvent({ type, response: viewResponse(turn, { ...progress, output }, echo) });
  };
  const close = (status: 'completed' | 'incomplete'): void => {
    if (begun !== undefined) for (const event of closeOutput(begun.output, status)) sendEvent(event);
  };
  return {
    listener: {
      begun(turn) {
        begun = { turn, output: createOutput(turn.id) };
        stand('response.created', { status: 'in_progress' });
        stand('response.in_progress', { status: 'in_progress' });
      },
      said(piece) {
        if (begun !== undefined) for (const event of addPiece(begun.output, piece)) sendEvent(event);
      },
    },
    finish({ end }) {
      close('completed');
      stand('response.completed', { status: 'completed', end });
    },
    fail(problem) {
      // Without a turn there is no response object: a plain `error` event is sent.
      if (begun === undefined) return send(encodeEvent('error', openaiError(problem, requestId)));
      close('incomplete');
      stand('response.failed', { status: 'failed', problem });
    },
  };
}
