/**
 * The built console in Chromium, served by the real server with --demo data: what first and second
 * visits fetch, how soon something is painted and a row or form is there, how long the page was
 * blocked, how soon one list follows another, and the memory of its scripts; on this machine, and
 * as on a slow one at 10 Mbit/s. Beside each, an empty answer of the same server in the same
 * browser.
 *
 *   node_modules/.bin/node bench/console.ts            # BENCH_ROUNDS=7; the console must be built (npm run build)
 *
 * With the folder of another version, built as well, it compares the two instead, turn by turn: a
 * list and a form in a browser that has kept nothing, and the first form that is opened from a list.
 *
 *   node_modules/.bin/node bench/console.ts ../sallyport-before
 */
import { resolve } from 'node:path'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { openBrowser, openContext, signIn, startInstallation } from '../e2e/installation.ts'
import { keepRatio, median } from './figures.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const SLOW_ROUNDS = Math.ceil(ROUNDS / 2)
const PASSWORD = 'Bench-password-1'
const BLANK = '/api/health/'
const USERS = '/ui/users/users'
const GROUPS = '/ui/users/groups'
const ASSETS = '/ui/assets/assets'
const ROW = 'tbody tr td a'
/** Other work may hold the machine for long; what takes longer than this is broken. */
const PATIENCE_MS = 120_000

/** Page of a visit, and the element that must be there at its end. */
interface Goal {
  address: string
  selector: string
}
const FIRST_ROW: Goal = { address: USERS, selector: ROW }
const HUNDRED_ROWS: Goal = { address: `${ASSETS}?size=100`, selector: ROW }
const CREATE_FORM: Goal = { address: `${ASSETS}/create`, selector: '.form input' }

interface Visit {
  /** Milliseconds from the start of the navigation, as the page's own clock has it. */
  there: number
  painted: number
  /** Milliseconds of tasks beyond 50 each. */
  blocked: number
  longest: number
  requests: number
  bytes: number
}

/** A processor of a quarter of the speed, at the end of a line of 10 Mbit/s and 40 ms. */
async function slowDown(cdp: CDPSession): Promise<void> {
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await cdp.send('Network.enable')
  const bytesPerSecond = (10 * 1000 * 1000) / 8
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
}

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
async function watchPage(page: Page, selector: string) {
  await page.addInitScript((wanted) => {
    const marks = { there: 0, blocked: 0, longest: 0 }
    Object.assign(globalThis, { benchMarks: marks })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        marks.longest = Math.max(marks.longest, duration)
        marks.blocked += duration - 50
      }
    }).observe({ type: 'longtask', buffered: true })
    const look = () => {
      if (document.querySelector(wanted)) marks.there = performance.now()
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, selector)
}

const marksOf = (page: Page) =>
  page.evaluate(() => ({
    ...(globalThis as unknown as { benchMarks: { there: number; blocked: number; longest: number } }).benchMarks,
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  }))

/**
 * Everything that a visit needs of a person who is signed in, and nothing that their browser has
 * kept.
 */
async function signedIn(browser: Browser, url: string) {
  const { context, page } = await openContext(browser, url, 'en')
  await signIn(page, url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**', { timeout: PATIENCE_MS })
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

type Cookies = Awaited<ReturnType<typeof signedIn>>

async function newBrowser(browser: Browser, url: string, cookies: Cookies) {
  const opened = await openContext(browser, url, 'en')
  await opened.context.addCookies(cookies)
  opened.context.setDefaultTimeout(PATIENCE_MS)
  return opened
}

async function blankVisit(page: Page, url: string): Promise<number> {
  const answer = await page.goto(url + BLANK)
  if (!answer?.ok()) throw new Error(`${BLANK} answered ${answer?.status()}`)
  return page.evaluate(
    () => (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).loadEventEnd,
  )
}

async function visit(context: BrowserContext, url: string, goal: Goal, isSlow: boolean): Promise<Visit> {
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  const cdp = await context.newCDPSession(page)
  if (isSlow) await slowDown(cdp)
  const traffic = await countTraffic(cdp)
  await watchPage(page, goal.selector)
  await page.goto(url + goal.address)
  await page.locator(goal.selector).first().waitFor()
  // The part that a person waits for: the aim counts up to the content they came for.
  const waitedFor = { ...traffic }
  // Tasks are reported a moment after their end.
  await page.waitForTimeout(300)
  const marks = await marksOf(page)
  await page.close()
  if (faults.length) throw new Error(faults.join('\n'))
  return { ...marks, ...waitedFor }
}

interface Series {
  blank: number
  first: Visit
  second: Visit
}

/** Visits with an empty cache, each followed by a second one, and between them empty answers. */
async function series(
  browser: Browser,
  url: string,
  cookies: Cookies,
  goal: Goal,
  { rounds = ROUNDS, isSlow = false } = {},
): Promise<Series> {
  const [blank, first, second]: [number[], Visit[], Visit[]] = [[], [], []]
  // The first round warms the server up; then turn by turn, so that all meet the same machine.
  for (let round = 0; round <= rounds; round++) {
    const { context, page } = await newBrowser(browser, url, cookies)
    if (isSlow) await slowDown(await context.newCDPSession(page))
    const empty = await blankVisit(page, url)
    const cold = await visit(context, url, goal, isSlow)
    const warm = await visit(context, url, goal, isSlow)
    await context.close()
    if (!round) continue
    blank.push(empty)
    first.push(cold)
    second.push(warm)
  }
  return { blank: median(blank), first: middle(first), second: middle(second) }
}

/** The median of each figure by itself. */
function middle(visits: readonly Visit[]): Visit {
  const of = (name: keyof Visit) => median(visits.map((one) => one[name]))
  return {
    there: of('there'),
    painted: of('painted'),
    blocked: of('blocked'),
    longest: of('longest'),
    requests: of('requests'),
    bytes: of('bytes'),
  }
}

/** Clicks the menu's link and waits for rows that the page before did not have. */
function follow(page: Page, path: string): Promise<number> {
  return page.evaluate(
    async ({ wanted, patience, row }) => {
      // Lists of other tabs are kept in the document, out of sight.
      const links = () => [...document.querySelectorAll(row)]
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
        if (performance.now() - start > patience) throw new Error(`no rows at ${wanted}`)
        await new Promise(requestAnimationFrame)
      }
      return performance.now() - start
    },
    { wanted: path, patience: PATIENCE_MS, row: ROW },
  )
}

/** Presses the list's button for a new one and waits for the form, the first time and again later. */
async function listToForm(browser: Browser, url: string, cookies: Cookies) {
  const first: number[] = []
  const later: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const times = await firstForms(browser, url, cookies, 2)
    first.push(times[0] ?? Number.NaN)
    later.push(times[1] ?? Number.NaN)
  }
  return { first: median(first), later: median(later) }
}

/** How long forms take that a browser which has kept nothing opens from a list, one after another. */
async function firstForms(browser: Browser, url: string, cookies: Cookies, count: number): Promise<number[]> {
  const { context, page } = await newBrowser(browser, url, cookies)
  await page.goto(url + ASSETS)
  const times: number[] = []
  for (let opened = 0; opened < count; opened++) {
    await page.locator(ROW).first().waitFor()
    // Everything that is fetched ahead while nothing else happens has come.
    await page.waitForLoadState('networkidle')
    times.push(await create(page))
    await page.goBack()
  }
  await context.close()
  return times
}

function create(page: Page): Promise<number> {
  return page.evaluate(async (field) => {
    const button = [...document.querySelectorAll<HTMLElement>('button.primary')].find((one) => one.checkVisibility())
    if (!button) throw new Error('no button to create one')
    const start = performance.now()
    button.click()
    while (![...document.querySelectorAll(field)].some((one) => one.checkVisibility()))
      await new Promise(requestAnimationFrame)
    return performance.now() - start
  }, CREATE_FORM.selector)
}

async function listToList(browser: Browser, url: string, cookies: Cookies) {
  const { context, page } = await newBrowser(browser, url, cookies)
  const cdp = await context.newCDPSession(page)
  await page.goto(url + USERS)
  await page.locator(ROW).first().waitFor()
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

function report(name: string, { blank, first, second }: Series): void {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  const line = (title: string, { there, painted, blocked, longest, requests, bytes }: Visit) =>
    console.log(
      `${title.padEnd(28)} ${ms(there)}, ${(there / blank).toFixed(1)} times an empty answer (${ms(blank)}); painted ${ms(painted)}; blocked ${ms(blocked)}, longest ${ms(longest)}; ${requests} requests, ${(bytes / 1024).toFixed(0)} KB`,
    )
  keepRatio(`${name}, of an empty answer`, first.there / blank, 'less')
  keepRatio(`${name}, second visit, of an empty answer`, second.there / blank, 'less')
  line(name, first)
  line('  second visit', second)
}

const start = (main?: string) =>
  startInstallation({ main, arguments: ['--demo'], settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } })

/** Both versions in one run, turn by turn, so that both meet the same machine. */
async function compare(browser: Browser, folder: string): Promise<void> {
  const installations = [await start(resolve(folder, 'apps/server/src/main.ts')), await start()]
  try {
    const versions = await Promise.all(
      installations.map(async ({ url }) => ({ url, cookies: await signedIn(browser, url) })),
    )
    const goals = { 'users, 15 rows': FIRST_ROW, 'assets, 100 rows': HUNDRED_ROWS, 'create form': CREATE_FORM }
    const visits = versions.map(() => new Map<string, Visit[]>())
    const forms: number[][] = versions.map(() => [])
    for (let round = 0; round <= ROUNDS; round++)
      for (const [at, { url, cookies }] of versions.entries()) {
        for (const [name, goal] of Object.entries(goals)) {
          const { context } = await newBrowser(browser, url, cookies)
          const cold = await visit(context, url, goal, false)
          await context.close()
          // The first round warms the servers up.
          if (round) visits[at]?.set(name, [...(visits[at]?.get(name) ?? []), cold])
        }
        const [first = Number.NaN] = await firstForms(browser, url, cookies, 1)
        if (round) forms[at]?.push(first)
      }
    for (const name of Object.keys(goals)) {
      const [before, now] = visits.map((of) => middle(of.get(name) ?? []))
      if (!before || !now) continue
      const facts = ({ there, blocked, requests, bytes }: Visit) =>
        `${there.toFixed(0)} ms, blocked ${blocked.toFixed(0)} ms, ${requests} requests, ${(bytes / 1024).toFixed(0)} KB`
      console.log(
        `${name.padEnd(28)} before ${facts(before)}; now ${facts(now)}; ratio ${ratioOf(now.there, before.there)}`,
      )
    }
    const [before = Number.NaN, now = Number.NaN] = forms.map(median)
    console.log(
      `${'first form from a list'.padEnd(28)} before ${before.toFixed(0)} ms; now ${now.toFixed(0)} ms; ratio ${ratioOf(now, before)}`,
    )
  } finally {
    for (const installation of installations) await installation.stop()
  }
}

const ratioOf = (now: number, before: number): string => (now / before).toFixed(2)

async function measureAlone(browser: Browser): Promise<void> {
  const installation = await start()
  try {
    const { url } = installation
    const cookies = await signedIn(browser, url)
    console.log(`demo data, median of ${ROUNDS} visits with an empty cache, ${SLOW_ROUNDS} on a slow machine`)
    const slow = { rounds: SLOW_ROUNDS, isSlow: true }
    const rows = await series(browser, url, cookies, FIRST_ROW)
    report('users, 15 rows', rows)
    report('assets, 100 rows', await series(browser, url, cookies, HUNDRED_ROWS))
    report('create form', await series(browser, url, cookies, CREATE_FORM))
    report('users on a slow machine', await series(browser, url, cookies, FIRST_ROW, slow))
    const { first, later, heap } = await listToList(browser, url, cookies)
    const { there } = rows.first
    console.log(
      `list to list                 ${later.toFixed(0)} ms, the first time ${first.toFixed(0)} ms  (ratio to the cold first row ${(later / there).toFixed(2)})`,
    )
    const form = await listToForm(browser, url, cookies)
    console.log(`list to create form          ${form.later.toFixed(0)} ms, the first time ${form.first.toFixed(0)} ms`)
    console.log(
      `memory of scripts            ${(heap / 1024 / 1024).toFixed(1)} MB after ${ROUNDS * 2} changes of list`,
    )
  } finally {
    await installation.stop()
  }
}

const browser = await openBrowser()
try {
  const [other] = process.argv.slice(2)
  await (other ? compare(browser, other) : measureAlone(browser))
} finally {
  await browser.close()
}
