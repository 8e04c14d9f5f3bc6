/**
 * The built console in Chromium, served by the real server with --demo data: what a first visit
 * fetches, how soon the users list shows a row, how soon one list follows another, the longest task
 * that blocked the page, and the memory of its scripts. Beside it, an empty answer of the same
 * server in the same browser.
 *
 *   node_modules/.bin/node bench/console.ts            # BENCH_ROUNDS=7; the console must be built (npm run build)
 */
import type { Browser, CDPSession, Page } from 'playwright-core'
import { openBrowser, openContext, signIn, startInstallation } from '../e2e/installation.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const PASSWORD = 'Bench-password-1'
const BLANK = '/api/health/'
const USERS = '/ui/users/users'
const GROUPS = '/ui/users/groups'

interface Visit {
  /** Milliseconds from the start of the navigation, as the page's own clock has it. */
  firstRow: number
  requests: number
  bytes: number
  longestTask: number
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** Counts what comes over the wire, compressed as it is. */
async function countTraffic(cdp: CDPSession) {
  const seen = { requests: 0, bytes: 0 }
  await cdp.send('Network.enable')
  cdp.on('Network.responseReceived', () => seen.requests++)
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    seen.bytes += encodedDataLength
  })
  return seen
}

/** Kept by the page itself: asking from outside would add the way there and back. */
async function watchPage(page: Page) {
  await page.addInitScript(() => {
    const marks = { firstRow: 0, longestTask: 0 }
    Object.assign(globalThis, { benchMarks: marks })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) marks.longestTask = Math.max(marks.longestTask, duration)
    }).observe({ type: 'longtask', buffered: true })
    const look = () => {
      if (document.querySelector('tbody tr td a')) marks.firstRow = performance.now()
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}

const marksOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { benchMarks: { firstRow: number; longestTask: number } }).benchMarks)

/**
 * Everything that `visit` needs of a person who is signed in, and nothing that their browser has
 * kept.
 */
async function signedIn(browser: Browser, url: string) {
  const { context, page } = await openContext(browser, url, 'en')
  await signIn(page, url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

type Cookies = Awaited<ReturnType<typeof signedIn>>

async function coldPage(browser: Browser, url: string, cookies: Cookies) {
  const opened = await openContext(browser, url, 'en')
  await opened.context.addCookies(cookies)
  return opened
}

async function blankVisit(browser: Browser, url: string, cookies: Cookies): Promise<number> {
  const { context, page } = await coldPage(browser, url, cookies)
  const answer = await page.goto(url + BLANK)
  if (!answer?.ok()) throw new Error(`${BLANK} answered ${answer?.status()}`)
  const loaded = await page.evaluate(
    () => (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).loadEventEnd,
  )
  await context.close()
  return loaded
}

async function coldVisit(browser: Browser, url: string, cookies: Cookies): Promise<Visit> {
  const { context, page, faults } = await coldPage(browser, url, cookies)
  const traffic = await countTraffic(await context.newCDPSession(page))
  await watchPage(page)
  await page.goto(url + USERS)
  await page.locator('tbody tr td a').first().waitFor()
  // What a person waits for: the aim counts up to the first row.
  const waitedFor = { ...traffic }
  await page.waitForLoadState('networkidle')
  const marks = await marksOf(page)
  await context.close()
  if (faults.length) throw new Error(faults.join('\n'))
  return { ...marks, ...waitedFor }
}

/** Clicks the menu's link and waits for rows that the page before did not have. */
function follow(page: Page, path: string): Promise<number> {
  return page.evaluate(async (wanted) => {
    // Lists of other tabs are kept in the document, out of sight.
    const links = () => [...document.querySelectorAll('tbody tr td a')]
    const firstRow = () =>
      links()
        .find((one) => one.checkVisibility())
        ?.closest('tr')?.textContent ?? ''
    const before = firstRow()
    const link = document.querySelector<HTMLAnchorElement>(`a[href$="${wanted}"]`)
    if (!link) throw new Error(`no link to ${wanted}`)
    const start = performance.now()
    link.click()
    while (!location.pathname.startsWith(wanted) || !firstRow() || firstRow() === before) {
      if (performance.now() - start > 15_000) throw new Error(`no rows at ${wanted}`)
      await new Promise(requestAnimationFrame)
    }
    return performance.now() - start
  }, path)
}

async function listToList(browser: Browser, url: string, cookies: Cookies) {
  const { context, page } = await coldPage(browser, url, cookies)
  const cdp = await context.newCDPSession(page)
  await page.goto(url + USERS)
  await page.locator('tbody tr td a').first().waitFor()
  await page.waitForLoadState('networkidle')
  const times: number[] = []
  for (let round = 0; round < ROUNDS * 2; round++) {
    times.push(await follow(page, round % 2 ? USERS : GROUPS))
    await page.waitForLoadState('networkidle')
  }
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  await context.close()
  return { first: times[0] ?? Number.NaN, later: median(times.slice(1)), heap: usedSize }
}

const installation = await startInstallation({
  arguments: ['--demo'],
  settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD },
})
const browser = await openBrowser()
try {
  const { url } = installation
  const cookies = await signedIn(browser, url)
  const [blank, visits]: [number[], Visit[]] = [[], []]
  // The first round warms the server up; then turn by turn, so that both meet the same machine.
  for (let round = 0; round <= ROUNDS; round++) {
    const [empty, visit] = [await blankVisit(browser, url, cookies), await coldVisit(browser, url, cookies)]
    if (!round) continue
    blank.push(empty)
    visits.push(visit)
  }
  const firstRow = median(visits.map((one) => one.firstRow))
  const { first, later, heap } = await listToList(browser, url, cookies)
  console.log(`users list with the demo data, median of ${ROUNDS} visits with an empty cache`)
  console.log(
    `cold load            ${median(visits.map((one) => one.requests))} requests, ${(median(visits.map((one) => one.bytes)) / 1024).toFixed(0)} KB`,
  )
  console.log(
    `first row            ${firstRow.toFixed(0)} ms  (an empty answer ${median(blank).toFixed(0)} ms; ratio ${(firstRow / median(blank)).toFixed(1)})`,
  )
  console.log(
    `list to list         ${later.toFixed(0)} ms, the first time ${first.toFixed(0)} ms  (ratio to the cold first row ${(later / firstRow).toFixed(2)})`,
  )
  console.log(
    `longest task         ${median(visits.map((one) => one.longestTask)).toFixed(0)} ms, the worst visit ${Math.max(...visits.map((one) => one.longestTask)).toFixed(0)} ms  (0: none over 50 ms)`,
  )
  console.log(`memory of scripts    ${(heap / 1024 / 1024).toFixed(1)} MB after ${ROUNDS * 2} changes of list`)
} finally {
  await browser.close()
  await installation.stop()
}
