import type { DialectName, Event } from '@plugboard/protocol';

/** Notices output that the dialect could not read at all, and frames in place of text (`frames-as-text`). */
export interface Misheard {
  saw(event: Event): void;
  /**
   * The remark when faults were all that the agent's output led to, since it speaks another dialect; otherwise
   * undefined.
   */
  remark(): string | undefined;
}

export function createMisheard(dialect: DialectName): Misheard {
  let faults = 0;
  let heard = false;
  let asText: string | undefined;
  return {
    saw(event) {
      if (event.type === 'fault' && event.fault.code === 'frames-as-text') asText = event.fault.message;
      else if (event.type === 'fault') faults += 1;
      else heard ||= isAnswer(event);
    },
    remark() {
      if (asText !== undefined) return asText;
      if (heard || faults === 0) return undefined;
      const lines = faults === 1 ? 'one line' : `${faults} lines`;
      return `the agent said ${lines} that ${dialect} cannot read, and nothing else. "plugboard detect -- COMMAND" finds out what it speaks; -v shows the lines.`;
    },
  };
}

function isAnswer(event: Event): boolean {
  if (event.type === 'message' || event.type === 'tool-call') return true;
  if (event.type === 'delta') return event.kind === 'output';
  if (event.type !== 'end') return false;
  return (
    event.outcome !== 'success' || event.text !== '' || event.data !== undefined || event.files !== undefined
  );
}
