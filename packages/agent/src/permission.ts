import type { JsonObject, Permission } from '@plugboard/protocol';
import { type Station, step } from './station.ts';

/** Asks the host whether a tool may be used. */
export type AskPermission = (tool: string, input: JsonObject, signal: AbortSignal) => Promise<Permission>;

/** For hosts that cannot be asked. */
export const NOBODY_TO_ASK: AskPermission = () =>
  Promise.resolve({
    allowed: false,
    reason: 'This needs permission, and the host has no way to be asked for it.',
  });

const GONE: Permission = { allowed: false, reason: 'The host went away before it answered.' };

const CANCELLED: Permission = { allowed: false, reason: 'The turn was cancelled.' };

/** Questions to a host that answers them by later lines of input, each by its id and in any order. */
export function permissionsBy(station: Station, lines: AsyncIterator<string>): AskPermission {
  const { dialect, state, output } = station;
  const open = new Map<string, (permission: Permission) => void>();
  let asked = 0;
  let listening = false;

  const listen = async (): Promise<void> => {
    listening = true;
    while (open.size > 0) {
      const next = await lines.next();
      if (next.done === true) break;
      for (const request of step(station, next.value)) {
        if (request.type === 'permission') open.get(request.id)?.(request.permission);
      }
    }
    for (const settle of open.values()) settle(GONE);
    listening = false;
  };

  return (tool, input, signal) => {
    if (signal.aborted) return Promise.resolve(CANCELLED);
    const id = `permission-${++asked}`;
    const text = dialect.agent.askPermission?.(state, { id, tool, input }) ?? '';
    if (text === '') return NOBODY_TO_ASK(tool, input, signal);
    return new Promise((resolve) => {
      const settle = (permission: Permission): void => {
        open.delete(id);
        signal.removeEventListener('abort', withdraw);
        resolve(permission);
      };
      const withdraw = (): void => settle(CANCELLED);
      open.set(id, settle);
      signal.addEventListener('abort', withdraw);
      void output.write(text);
      if (!listening) void listen();
    });
  };
}
