/** Knows when a page has come to rest: nothing is being fetched and nothing turns. */
import { setTimeout as after } from 'node:timers/promises'
import type { Page } from 'playwright-core'

export interface Calls {
  /** Fetches under way. */
  open: Set<unknown>
  /** Waits until none is. */
  untilAnswered(): Promise<void>
  /** Answers with 400 and more, and calls without an answer. */
  failed: string[]
  /** Answers of the API to reads, with the method. */
  answers: { method: string; body: unknown }[]
  reset(): void
}

/** Signs of a page that still waits for something. */
const WAITING = '.progress-bar, .loading, [aria-busy=true]'
/** Code that comes late is drawn within so many frames of its arrival. */
const STILL_FRAMES = 10
const TIMEOUT_MS = 60_000

export function watchCalls(page: Page): Calls {
  let waiting: (() => void)[] = []
  const tellWaiting = () => {
    if (calls.open.size) return
    for (const one of waiting) one()
    waiting = []
  }
  const calls: Calls = {
    open: new Set(),
    untilAnswered: () => new Promise((resolve) => (calls.open.size ? waiting.push(resolve) : resolve())),
    failed: [],
    answers: [],
    reset() {
      calls.open.clear()
      tellWaiting()
      calls.failed.length = 0
      calls.answers.length = 0
    },
  }
  page.on('request', (request) => calls.open.add(request))
  page.on('requestfailed', (request) => {
    // A call that a page leaves unanswered when another is opened has not failed.
    if (calls.open.delete(request) && !/ERR_ABORTED/.test(request.failure()?.errorText ?? ''))
      calls.failed.push(`${request.method()} ${request.url()} ${request.failure()?.errorText}`)
    tellWaiting()
  })
  page.on('requestfinished', async (request) => {
    if (!calls.open.has(request)) return
    const answer = await request.response()
    if (answer && answer.status() >= 400) calls.failed.push(`${request.method()} ${request.url()} ${answer.status()}`)
    const json =
      answer?.headers()['content-type']?.includes('json') &&
      /^\/(api|koko\/files|core\/auth\/login)\//.test(new URL(request.url()).pathname)
    const body = json ? await answer?.json().catch(() => undefined) : undefined
    if (body !== undefined) calls.answers.push({ method: request.method(), body })
    calls.open.delete(request)
    tellWaiting()
  })
  return calls
}

/**
 * Waits until `sign` is on the page and, over some frames in a row, no call was open, nothing
 * turned and nothing new was drawn.
 */
export async function untilQuiet(page: Page, calls: Calls, sign: string): Promise<void> {
  await page
    .locator(sign)
    .first()
    .waitFor({ timeout: TIMEOUT_MS })
    .catch((error) => {
      throw new Error(`${page.url()} shows no ${sign}`, { cause: error })
    })
  const end = performance.now() + TIMEOUT_MS
  while (performance.now() < end) {
    // A page that is looked at draws frame after frame: not while it only waits for answers.
    await Promise.race([calls.untilAnswered(), after(end - performance.now(), undefined, { ref: false })])
    const before = calls.open.size
    const still = await page.evaluate(
      async ({ waiting, frames }) => {
        const drawn = document.body.innerHTML
        for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame)
        return document.body.innerHTML === drawn && !document.querySelector(waiting)
      },
      { waiting: WAITING, frames: STILL_FRAMES },
    )
    if (still && before === 0 && calls.open.size === 0) return
  }
  throw new Error(`${page.url()} never came to rest: ${calls.open.size} calls open`)
}
