import { buildChangedPrograms } from './changed.ts';
import { findBrowser } from './find-browser.ts';

/** Tests start commands as they are published: those begin twice as fast as from source, and are what people run. */
export async function setup(): Promise<() => void> {
  await buildChangedPrograms();
  const browser = await findBrowser();
  if (browser !== undefined) process.env.CHROMIUM = browser;
  else if (process.env.CI === 'true') throw new Error(NO_BROWSER);
  // Said last of all, where nobody overlooks it.
  return () => {
    if (browser === undefined)
      process.stderr.write(`SKIPPED: the page was not tried in a browser. ${NO_BROWSER}\n`);
  };
}

const NO_BROWSER =
  'No Chromium could be started. Set CHROMIUM to one, or install one: apt-get install chromium';
