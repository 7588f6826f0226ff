import type { StoredTurn } from '@plugboard/store';
import { encode } from '../../stream.ts';
import type { Script } from '../answer.ts';
import { openaiError } from '../error.ts';
import { addPiece, closeOutput, createOutput, type Output, type StreamEvent } from './output.ts';
import { type Echo, type Progress, viewResponse } from './shape.ts';

/** A stream of events, each with its number: a response begins, its items grow, and it is completed or has failed. */
export function createResponseScript(echo: Echo, requestId: string, send: (text: string) => void): Script {
  let begun: { readonly turn: StoredTurn; readonly output: Output } | undefined;
  let sequence_number = 0;
  const tell = (event: StreamEvent): void => {
    send(encode(event.type, { ...event, sequence_number }));
    sequence_number += 1;
  };
  const stand = (type: StreamEvent['type'], progress: Omit<Progress, 'output'>): void => {
    if (begun === undefined) return;
    const { turn, output } = begun;
    tell({ type, response: viewResponse(turn, { ...progress, output }, echo) });
  };
  const close = (status: 'completed' | 'incomplete'): void => {
    if (begun !== undefined) for (const event of closeOutput(begun.output, status)) tell(event);
  };
  return {
    listener: {
      begun(turn) {
        begun = { turn, output: createOutput(turn.id) };
        stand('response.created', { status: 'in_progress' });
        stand('response.in_progress', { status: 'in_progress' });
      },
      said(piece) {
        if (begun !== undefined) for (const event of addPiece(begun.output, piece)) tell(event);
      },
    },
    finish({ end }) {
      close('completed');
      stand('response.completed', { status: 'completed', end });
    },
    fail(problem) {
      // Without a turn there is no response that could have failed.
      if (begun === undefined) return send(encode('error', openaiError(problem, requestId)));
      close('incomplete');
      stand('response.failed', { status: 'failed', problem });
    },
  };
}
