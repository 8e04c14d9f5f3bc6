/**
 * An installation of its own for a browser test: the real server as a process, a real Chromium, a
 * real sshd.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { measured } from '../apps/server/test/measured.ts'
import { MAIN } from '../apps/server/test/programs.ts'
import { copyPreparedDatabase, installationsFolder } from './prepared-database.ts'

/** Longest wait for a page: a busy machine takes longer than one thinks. */
const TIMEOUT_MS = 120_000
/** A server that takes longer to stop is killed. */
const STOP_LIMIT_MS = 30_000

export interface Installation {
  url: string
  /** Where plain SSH clients come in. */
  sshPort: number
  /** The first administrator's one-time password. */
  firstPassword: string
  data: string
  process: ChildProcess
  /** `kill -9`, as a power cut would. */
  kill(): Promise<void>
  /** SIGTERM, as a service manager stops it; settles when it has ended. */
  terminate(): Promise<void>
  stop(): Promise<void>
}

interface InstallationOptions {
  /** The main file of another version. */
  main?: string | undefined
  data?: string
  arguments?: string[]
  settings?: Record<string, string>
}

/** Starts the product on a data directory, which is made when it is not given. */
export function startInstallation(options: InstallationOptions = {}): Promise<Installation> {
  return measured('installations', () => startNow(options))
}

async function startNow(options: InstallationOptions): Promise<Installation> {
  const data = options.data ?? newDataDirectory()
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const environment = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    SALLYPORT_DATA_DIR: data,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_LOG_LEVEL: 'warn',
    ...options.settings,
  }
  const child = spawn(process.execPath, [options.main ?? MAIN, ...(options.arguments ?? [])], {
    env: environment,
    // The last is how it notices that this process was killed: it stops then.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  let isReady = false
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (bytes: Buffer) => {
      // Later log lines, of a database that is away for instance, may be very many.
      if (isReady) return
      output += bytes
      const found = /is ready: (http\S+)[\s\S]*Ctrl-C/.exec(output)
      if (!found?.[1]) return
      isReady = true
      resolve(found[1])
    }
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', hear)
    child.once('close', () => reject(new Error(`the server ended before it was ready:\n${output}`)))
  })
  const ended = once(child, 'close')
  return {
    url,
    sshPort: Number(/ssh -p (\d+)/.exec(output)?.[1]),
    firstPassword: /First sign-in/.test(output) ? readFileSync(join(data, 'admin-password.txt'), 'utf8').trim() : '',
    data,
    process: child,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async terminate() {
      child.kill('SIGTERM')
      await ended
    },
    async stop() {
      // As Ctrl-C does: a load balancer need not hear of it first.
      child.kill('SIGINT')
      const tooLong = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
      await ended
      clearTimeout(tooLong)
      rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function newDataDirectory(): string {
  const data = mkdtempSync(join(installationsFolder(), 'sallyport-e2e-'))
  copyPreparedDatabase(join(data, 'postgres'))
  return data
}

/** Chromium without anything that would look for the network, or another program with its engine. */
export function openBrowser(executablePath = '/usr/bin/chromium'): Promise<Browser> {
  return measured('browsers', () => launchChromium(executablePath))
}

function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // Without one of UTF-8 it leaves out chosen files whose names are not English.
    env: { ...process.env, LANG: process.env.LANG ?? 'C.UTF-8' },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A browser of one person, whose errors are kept to be asserted on. */
export async function openContext(
  browser: Browser,
  url: string,
  language: 'en' | 'zh-hans',
): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: language === 'en' ? 'en-US' : 'zh-CN',
  })
  await context.addCookies([{ name: 'django_language', value: language, url }])
  context.setDefaultTimeout(TIMEOUT_MS)
  const faults: string[] = []
  const watch = (page: Page) => {
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
    page.on(
      'console',
      (message) =>
        message.type() === 'error' &&
        !/status of 40[0-9]/.test(message.text()) &&
        faults.push(`${page.url()}: ${message.text()}`),
    )
    page.on(
      'response',
      (answer) =>
        answer.status() >= 500 && faults.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`),
    )
  }
  context.on('page', watch)
  return { context, page: await context.newPage(), faults }
}

export async function signIn(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(`${url}/core/auth/login/`)
  await page.fill('#username', username)
  await page.fill('#password', password)
  await page.keyboard.press('Enter')
}
