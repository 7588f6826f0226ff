import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { executablePath, launch } from '../../../web/test/browser.ts';

export const noBrowser: boolean = executablePath === undefined;

/** One real browser for the tests of a file. */
export function sharedBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!noBrowser) browser = await launch();
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('The browser is started before the first test.');
    return browser;
  };
}

/** A page of somebody else, on another port of the same machine: the same site, but another origin. */
export async function foreignPage(): Promise<{ readonly server: Server; readonly url: string }> {
  const script = readFileSync(join(import.meta.dirname, 'foreign-page.js'), 'utf8');
  const page = `<!doctype html><title>Evil</title><body><script>${script}</script></body>`;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Everything that went wrong or elsewhere while a page was open. */
export function misdeedsOf(page: Page, origin: string): string[] {
  const misdeeds: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      misdeeds.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => void misdeeds.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) misdeeds.push(`request: ${request.url()}`);
  });
  page.on('requestfailed', (request) => void misdeeds.push(`failed: ${request.url()}`));
  return misdeeds;
}
