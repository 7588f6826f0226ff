import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launch } from './browser.ts';
import { buildPage } from './built.ts';
import { type FakeGateway, startFakeGateway } from './fake-gateway.ts';
import { addSession } from './fake-state.ts';

/** What a page did that it must never do. */
interface Misdeeds {
  readonly dialogs: string[];
  readonly foreign: string[];
  readonly violations: string[];
  readonly errors: string[];
}

interface Visit {
  readonly page: Page;
  readonly misdeeds: Misdeeds;
  /** Opens a session and waits until its composer is there. */
  open(sessionId: string): Promise<void>;
  say(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface Stage {
  readonly gateway: FakeGateway;
  readonly browser: Browser;
  /** A new browser profile, logged in. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
  /** The same, with a session that is open. */
  chat(options?: BrowserContextOptions): Promise<Visit & { readonly id: string }>;
}

/** One gateway and one browser for the tests of a file. */
export function setStage(): Stage {
  let gateway: FakeGateway | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    const dist = await buildPage();
    [gateway, browser] = await Promise.all([startFakeGateway(dist), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.down();
  });
  const stage: Stage = {
    get gateway() {
      if (gateway === undefined) throw new Error('the stage is not set');
      return gateway;
    },
    get browser() {
      if (browser === undefined) throw new Error('the stage is not set');
      return browser;
    },
    visit: (options) => visit(stage, options),
    async chat(options) {
      const { id } = addSession(stage.gateway.state, { title: 'A session' });
      const visited = await visit(stage, options);
      await visited.open(id);
      return { ...visited, id };
    },
  };
  return stage;
}

async function visit({ browser, gateway }: Stage, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  context.setDefaultTimeout(8000);
  const page = await context.newPage();
  const misdeeds = await watch(page, gateway.url);
  await page.goto(gateway.loginLink());
  await page.locator('.desk').waitFor();
  return {
    page,
    misdeeds,
    async open(sessionId) {
      await page.goto(`${gateway.url}/#/s/${sessionId}`);
      await page.locator('.thread[aria-busy=false]').waitFor();
    },
    async say(text) {
      await page.locator('#composer').fill(text);
      await page.locator('.send').click();
    },
    close: () => context.close(),
  };
}

/** Records dialogs, requests to others, breaches of the policy and errors. */
export async function watch(page: Page, home: string): Promise<Misdeeds> {
  const misdeeds: Misdeeds = { dialogs: [], foreign: [], violations: [], errors: [] };
  page.on('dialog', (dialog) => {
    misdeeds.dialogs.push(dialog.message());
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(home) && !request.url().startsWith('blob:'))
      misdeeds.foreign.push(request.url());
  });
  page.on('pageerror', (error) => misdeeds.errors.push(error.message));
  await page.exposeFunction('noteViolation', (text: string) => misdeeds.violations.push(text));
  await page.addInitScript(() => {
    document.addEventListener(
      'securitypolicyviolation',
      ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
        const note = (window as unknown as { noteViolation(text: string): void }).noteViolation;
        note(`${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`);
      },
    );
  });
  return misdeeds;
}

export const CLEAN: Misdeeds = { dialogs: [], foreign: [], violations: [], errors: [] };

/** The texts of the conversation, said and answered, in the order in which they stand. */
export function lines(page: Page): Promise<string[]> {
  return page.locator('.thread .bubble, .thread .answer, .thread .notice').allInnerTexts();
}
