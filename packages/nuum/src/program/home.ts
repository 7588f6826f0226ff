import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The home of whoever runs the agent. HOME may be empty or relative, which would be a different place in every directory,
 * and in a container there may be neither it nor an entry for the user: then nothing but the root is left.
 */
export function homeDirectory(): string {
  for (const look of [homedir, () => userInfo().homedir]) {
    try {
      const home = look();
      if (isAbsolute(home)) return home;
    } catch {
      // There is no such user.
    }
  }
  return '/';
}
