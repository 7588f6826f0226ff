import type { Child } from '@plugboard/process';
import {
  type OneShotHost,
  type Permission,
  type PermissionQuestion,
  reasonOf,
  type Settings,
} from '@plugboard/protocol';
import type { AskPermission } from '../agent.ts';
import type { Tap } from '../record/tap.ts';

/** Answers that an agent may leave unread; one that asks on and on without reading any is stopped. */
const UNREAD_BYTES = 1024 * 1024;

/** The questions of one turn. */
export interface Permissions {
  /** Takes note of a line of stdout, which may ask something or be the agent's last. */
  heed(line: string): void;
  /** Whether the agent waits for an answer. */
  pending(): boolean;
}

/** Who asks, and who is asked. */
interface Asking {
  readonly child: Child;
  readonly host: OneShotHost<Settings, unknown>;
  readonly state: unknown;
  readonly tap: Tap | undefined;
  readonly ask: AskPermission | undefined;
  /** Called with the reason when `ask` throws or rejects. */
  onAskFailed(reason: string): void;
}

/** Passes on what an agent asks permission for, and the answers as they come. */
export function createPermissions({
  child,
  host,
  state,
  tap,
  ask = nobody,
  onAskFailed,
}: Asking): Permissions {
  let waiting = 0;
  const answer = (id: string, permission: Permission): void => {
    waiting -= 1;
    const line = host.permit?.(id, permission) ?? '';
    tap?.write('stdin', Buffer.from(line));
    child.write(line);
    if (child.pendingInput() > UNREAD_BYTES) child.stop('limit');
  };
  return {
    heed(line) {
      const question = host.question?.(state, line);
      if (question !== undefined) {
        waiting += 1;
        decide(question, ask, onAskFailed).then((permission) => answer(question.id, permission));
      }
      if (host.isOver?.(state) === true) child.closeInput();
    },
    pending: () => waiting > 0,
  };
}

/** An error of `ask` denies the permission: an unanswered agent would wait until its turn times out. */
async function decide(
  question: PermissionQuestion,
  ask: AskPermission,
  onAskFailed: Asking['onAskFailed'],
): Promise<Permission> {
  try {
    return await ask(question);
  } catch (error) {
    const reason = reasonOf(error);
    onAskFailed(reason);
    return { allowed: false, reason };
  }
}

const nobody: AskPermission = async () => ({
  allowed: false,
  reason: 'There is nobody here who could allow it.',
});
