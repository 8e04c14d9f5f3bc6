import type { Browser } from 'playwright-core'
import { openBrowser } from './installation.ts'

/**
 * Chromium's engine, of the same version, without the browser around it: for files that look at hundreds of pages
 * and use nothing of a browser but them, for three quarters of the processor's time.
 */
export const openPageReader = (): Promise<Browser> => openBrowser('/usr/bin/chromium-headless-shell')
