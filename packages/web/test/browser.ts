import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

/** The browser of these tests, which was looked for before the first of them began; undefined when there is none. */
export const executablePath: string | undefined = process.env.CHROMIUM || undefined;

export function launch(options: LaunchOptions = {}): Promise<Browser> {
  // Chromium refuses to run its sandbox as root, which is who runs in most containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args, ...options });
}
