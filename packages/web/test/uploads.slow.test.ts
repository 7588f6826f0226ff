import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import { CLEAN, setStage } from './visit.ts';

/** Other work may share the machine; these tests are about what comes, not how soon. */
const PATIENT = { timeout: 15_000, interval: 50 };

const bytes = (name: string, size: number) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(size, 1),
});

/** A network that takes so many bytes in a second. */
async function slowDown(page: Page, uploadThroughput: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const fields = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
  await devtools.send('Network.emulateNetworkConditions', fields);
}

describe.skipIf(executablePath === undefined)('an upload', () => {
  const stage = setStage();

  it('shows how far it is, and then that it is there', async () => {
    const { page, misdeeds, close } = await stage.chat();
    await slowDown(page, 150_000);
    await page.locator('input[type=file]').setInputFiles(bytes('draft.bin', 300_000));
    const progress = page.getByRole('progressbar', { name: 'Upload of draft.bin' });
    const seen = new Set<number>();
    await expect
      .poll(async () => {
        if ((await progress.count()) === 0) return seen.size > 0;
        seen.add(await progress.evaluate((bar) => (bar as HTMLProgressElement).value));
        return false;
      }, PATIENT)
      .toBe(true);
    const values = [...seen];
    expect(values.filter((value) => value > 0 && value < 1).length).toBeGreaterThan(1);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    await page.locator('.upload', { hasText: '300 KB' }).waitFor();
    await page.locator('.send:enabled').click();
    await page.locator('.said .file', { hasText: 'draft.bin' }).waitFor();
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('is cancelled on its way, and nothing of it arrives', async () => {
    const { page, close } = await stage.chat();
    const { media } = stage.gateway.state;
    const before = media.size;
    await slowDown(page, 50_000);
    await page.locator('input[type=file]').setInputFiles(bytes('wrong.bin', 2_000_000));
    await page.getByRole('progressbar').waitFor();
    await page.locator('#composer').fill('without it');
    expect(await page.locator('.send').isDisabled()).toBe(true);
    await page.getByText('Files are on their way').waitFor();
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/media'));
    await page.getByRole('button', { name: 'Cancel the upload of wrong.bin' }).click();
    await failed;
    await slowDown(page, -1);
    await page.locator('.send:enabled').click();
    await page.locator('.turn-foot').waitFor();
    expect(await page.locator('.upload, .said .file').count()).toBe(0);
    expect(media.size).toBe(before);
    await close();
  });

  it('that failed says why, keeps the message back, and is tried again', async () => {
    const { page, close } = await stage.chat();
    let refuse = true;
    const body = JSON.stringify({ error: { code: 'unavailable', message: 'The disk is full.' } });
    await page.route('**/api/media?*', (route) =>
      refuse ? route.fulfill({ status: 503, body }) : route.continue(),
    );
    await page.locator('input[type=file]').setInputFiles(bytes('a.bin', 1000));
    await page.locator('.upload.failed', { hasText: 'The disk is full.' }).waitFor();
    await page.locator('#composer').fill('see the file');
    expect(await page.locator('.send').isDisabled()).toBe(true);
    await page.getByText('A file did not get there').waitFor();
    refuse = false;
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.upload.failed', { hasText: 'The gateway cannot be reached.' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.upload', { hasText: '1.0 KB' }).waitFor();
    await page.locator('.send:enabled').click();
    await page.locator('.said .file', { hasText: 'a.bin' }).waitFor();
    await close();
  });

  it('goes on while another session is looked at, and is still there on the way back', async () => {
    const { page, id, open, close } = await stage.chat();
    await slowDown(page, 200_000);
    await page.locator('input[type=file]').setInputFiles(bytes('long.bin', 300_000));
    await page.getByRole('progressbar').waitFor();
    await page.goto(`${stage.gateway.url}/#/`);
    await page.locator('.agents').waitFor();
    await expect
      .poll(
        () => [...stage.gateway.state.media.values()].some(({ view }) => view.name === 'long.bin'),
        PATIENT,
      )
      .toBe(true);
    await open(id);
    await page.locator('.upload', { hasText: '300 KB' }).waitFor();
    await close();
  });
});
