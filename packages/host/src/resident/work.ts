import type { HostEffect, Turn } from '@plugboard/protocol';

/** What a process is at: inputs that no turn has taken, and turns that have not ended. */
export interface Work {
  add(input: Turn): void;
  /** An input that was added and has not been taken or returned. */
  input(id: string): Turn | undefined;
  forget(id: string): void;
  /** Must see every effect. */
  note(effect: HostEffect): void;
  isBusy(): boolean;
}

export function createWork(): Work {
  const inputs = new Map<string, Turn>();
  const turns = new Set<string>();
  return {
    add: (input) => void inputs.set(input.id, input),
    input: (id) => inputs.get(id),
    forget: (id) => void inputs.delete(id),
    note(effect) {
      if (effect.type === 'input' && effect.state !== 'given') inputs.delete(effect.inputId);
      if (effect.type !== 'events' || effect.turnId === undefined) return;
      if (effect.events.at(-1)?.type === 'end') turns.delete(effect.turnId);
      else turns.add(effect.turnId);
    },
    isBusy: () => inputs.size > 0 || turns.size > 0,
  };
}
