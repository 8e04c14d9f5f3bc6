/**
 * A recording of eight hours in a browser: opened, jumped about in, searched, played by keys and by
 * touch, and exported to a page that plays without us.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../apps/server/src/config.ts'
import { img, png, say } from '../apps/server/src/domains/terminal/recording/guacamole/guacamole-fixture.ts'
import { recordingStore } from '../apps/server/src/domains/terminal/recording/replay-file.ts'
import { signed } from '../apps/server/test/signed.ts'
import { type Cluster, startCluster } from './cluster/cluster.ts'
import { openBrowser, openContext, signIn } from './installation.ts'

const PASSWORD = 'Guarded-door-1'
const BOOTSTRAP_TOKEN = 'bootstrap-token-of-tests'
const HOURS = 8
const START = 1_790_000_000
/** What would break out of the exported page if it could, in the place where it would be found. */
const HOSTILE = '</script><script>document.title = "broken"</script>'

let cluster: Cluster
let browser: Browser
let folder: string
let session: string
let gateway: { id: string; secret: string }

beforeAll(async () => {
  ;[cluster, browser, folder] = await Promise.all([
    startCluster({
      nodes: 2,
      settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD, SALLYPORT_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN },
    }),
    openBrowser(),
    mkdtemp(join(tmpdir(), 'replay-')),
  ])
  gateway = await aGateway()
  session = await uploaded(longRecording())
})
afterAll(async () => {
  await browser?.close()
  await cluster?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/**
 * A line each second that says which it is; the window is wider in the second half; full-screen
 * programs now and then.
 */
function longRecording(): string {
  const seconds = HOURS * 3600
  const lines = [JSON.stringify({ version: 2, width: 80, height: 24, timestamp: START })]
  for (let n = 1; n < seconds; n++) {
    const text =
      n % 900 === 0 ? `\x1b[?1049h\x1b[2J\x1b[Htop ${n}\x1b[?1049l` : `second-${n}. ${'·'.repeat(n % 60)}\r\n`
    lines.push(JSON.stringify([n, 'o', text]))
    if (n === seconds / 2) lines.push(JSON.stringify([n, 'r', '120x40']))
  }
  lines.push(JSON.stringify([seconds, 'o', `the end ${HOSTILE}`]))
  return `${lines.join('\n')}\n`
}

async function send(method: string, path: string, credential: Record<string, string>, body: unknown) {
  const headers = { 'content-type': 'application/json', ...credential }
  const answer = await fetch(cluster.url + path, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** A gateway that carries the sessions of this file. */
async function aGateway(): Promise<{ id: string; secret: string }> {
  const answer = await fetch(`${cluster.url}/api/v1/terminal/terminal-registrations/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `BootstrapToken ${BOOTSTRAP_TOKEN}` },
    body: JSON.stringify({ name: 'far gateway', type: 'koko' }),
  })
  expect(answer.status).toBe(201)
  return (await answer.json()).service_account.access_key
}

/** A session of some gateway, with its recording sent in as gateways do. */
async function uploaded(recording: string, start = new Date(START * 1000), version = '3'): Promise<string> {
  const sessions = '/api/v1/terminal/sessions/'
  const { id } = await send('POST', sessions, signed(sessions, gateway, 'post'), {
    user: 'Walker(walker)',
    asset: `web-1 ${HOSTILE}`,
    system_user: 'root',
    user_id: randomUUID(),
    asset_id: randomUUID(),
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '192.0.2.7',
    protocol: 'ssh',
    date_start: start.toISOString(),
    org_id: '00000000-0000-0000-0000-000000000002',
    is_finished: true,
  })
  const form = new FormData()
  form.set('file', new Blob([gzipSync(recording)]), 'x.cast.gz')
  form.set('version', version)
  const replay = `${sessions}${id}/replay/`
  const answer = await fetch(cluster.url + replay, {
    method: 'POST',
    headers: signed(replay, gateway, 'post'),
    body: form,
  })
  expect(answer.status).toBe(201)
  return id
}

const screenOf = (page: Page) => page.locator('.rp-stage .xterm-rows').textContent()
const timeOf = async (page: Page) => {
  const [time = ''] = ((await page.locator('.rp-time').textContent()) ?? '').split(' / ')
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
/** Presses the time line at a share of it. */
async function press(page: Page, share: number, how: 'mouse' | 'touchscreen' = 'mouse'): Promise<void> {
  const box = await page.locator('.rp-track').boundingBox()
  if (!box) throw new Error('no time line')
  const [x, y] = [box.x + box.width * share, box.y + box.height / 2]
  await (how === 'mouse' ? page.mouse.click(x, y) : page.touchscreen.tap(x, y))
}
/** The last second whose line is on the screen. */
const lastSecond = async (page: Page) =>
  Number([...((await screenOf(page)) ?? '').matchAll(/second-(\d+)\./g)].at(-1)?.[1])
const paused = (page: Page) => expect.poll(() => page.locator('.rp').getAttribute('data-state')).toBe('paused')

/** Jumps, pauses, and compares the clock with what the screen shows. */
async function expectAt(page: Page, share: number, how?: 'mouse' | 'touchscreen'): Promise<void> {
  await press(page, share, how)
  const wanted = share * HOURS * 3600
  await expect.poll(() => lastSecond(page)).toBeGreaterThan(wanted - HOURS * 3600 * 0.01)
  await expect.poll(() => lastSecond(page)).toBeLessThan(wanted + HOURS * 3600 * 0.01)
}

test('[A1.10] any moment of eight hours is shown by a press on the time line, at the size the window had', async () => {
  const { page, faults, context } = await openContext(browser, cluster.url, 'en')
  await signIn(page, cluster.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  await page.goto(`${cluster.url}/luna/replay/${session}`)
  await expect.poll(() => lastSecond(page)).toBeGreaterThan(0)
  const pieces: string[] = []
  page.on('request', (request) => request.url().includes('/replay/') && pieces.push(new URL(request.url()).pathname))
  await expectAt(page, 0.27)
  await expect.poll(() => page.locator('.xterm-rows > div').count()).toBe(24)
  await expectAt(page, 0.77)
  await expect.poll(() => page.locator('.xterm-rows > div').count()).toBe(40)
  expect(
    pieces.every((path) => /\/(part|screen)\/\d+\/$/.test(path)),
    pieces.join(),
  ).toBe(true)

  await page.keyboard.press(' ')
  await paused(page)
  const before = await timeOf(page)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => timeOf(page)).toBe(before + 5)
  await expect.poll(() => lastSecond(page)).toBe(before + 5)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => lastSecond(page)).toBe(before)
  await page.keyboard.press('>')
  await expect.poll(() => page.locator('.rp-speed').textContent()).toBe('3x')

  await page.getByLabel('Search in the recording').fill('SECOND-12345.')
  await page.keyboard.press('Enter')
  await page.locator('.wt-hits button').click()
  // From further behind.
  await expect.poll(() => timeOf(page)).toBeLessThan(12_445)
  await expect.poll(() => lastSecond(page)).toBeLessThan(12_445)
  expect(await lastSecond(page)).toBeGreaterThanOrEqual(12_345)
  await page.getByLabel('Search in the recording').fill('second-999999')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing matches').waitFor()
  expect(faults).toEqual([])
  await context.close()
})

test('text of any session is found under Sessions and plays from its second', async () => {
  const { page, faults, context } = await openContext(browser, cluster.url, 'en')
  await signIn(page, cluster.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  // The date range of the page is about today; the recording is of its own time.
  const today = await uploaded(
    '{"version":2,"width":80,"height":24}\n[61.5,"o","quick"]\n[70.25,"o","silver\\r\\n"]\n[80,"o","later"]\n',
    new Date(),
  )
  await page.goto(`${cluster.url}/ui/terminal/sessions`)
  await page.getByRole('tab', { name: 'Search in recordings' }).click()
  await page.getByLabel('Text shown on screen').fill('QuickSilver')
  await page.keyboard.press('Enter')
  const place = page.getByRole('link', { name: '01:10' })
  await place.waitFor()
  const playing = context.waitForEvent('page')
  await place.click()
  const replay = await playing
  expect(new URL(replay.url()).pathname).toBe(`/luna/replay/${today}`)
  await expect.poll(() => screenOf(replay)).toContain('quick')
  await expect.poll(() => screenOf(replay)).toContain('later')
  expect(faults).toEqual([])
  await context.close()
})

test('a thumb on a phone plays, pauses and jumps', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true })
  await context.addCookies([{ name: 'django_language', value: 'en', url: cluster.url }])
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await signIn(page, cluster.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  await page.goto(`${cluster.url}/luna/replay/${session}`)
  await expect.poll(() => lastSecond(page)).toBeGreaterThan(0)
  await expectAt(page, 0.6, 'touchscreen')
  await page.locator('.rp-stage').tap()
  await paused(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await context.close()
})

test('the exported page plays from a disk without a network, and nothing in the session can break out of it', async () => {
  const { page, context } = await openContext(browser, cluster.url, 'en')
  await signIn(page, cluster.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  await page.goto(`${cluster.url}/luna/replay/${session}`)
  await page.getByRole('button', { name: 'Download' }).click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('.html').click()])
  const path = join(folder, 'exported.html')
  await download.saveAs(path)
  await context.close()

  const alone = await browser.newContext({ offline: true })
  const exported = await alone.newPage()
  const output: string[] = []
  exported.on('console', (message) => output.push(message.text()))
  exported.on('pageerror', (error) => output.push(error.message))
  exported.on(
    'request',
    (request) =>
      request.url() !== pathToFileURL(path).href && !/^(data|blob):/.test(request.url()) && output.push(request.url()),
  )
  await exported.goto(pathToFileURL(path).href)
  await expect.poll(() => lastSecond(exported)).toBeGreaterThan(0)
  await expectAt(exported, 0.5)
  await exported.keyboard.press('End')
  await expect.poll(() => screenOf(exported)).toContain(`the end ${HOSTILE}`)
  expect(await exported.title()).toContain(HOSTILE)
  expect(await exported.locator('.ex-about').textContent()).toMatch(
    /Walker \(walker\).*192\.0\.2\.7.*Exported by.*admin.*SHA-256[0-9a-f]{64}/,
  )
  expect(output).toEqual([])
  await alone.close()
})

test('a recording that was altered in the store says so above its replay, and plays what can still be read', async () => {
  const start = new Date()
  const id = await uploaded('{"version":2,"width":80,"height":24}\n[0.5,"o","what was done"]\n', start)
  const { page, context } = await openContext(browser, cluster.url, 'en')
  await signIn(page, cluster.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  const address = `${cluster.url}/luna/replay/${id}`
  await page.goto(address)
  await expect.poll(() => screenOf(page)).toContain('what was done')
  expect(await page.locator('.wt-error').count()).toBe(0)
  const store = recordingStore(loadConfig({ SALLYPORT_DATA_DIR: folder, ...cluster.store.environment }))
  const name = `${start.toISOString().slice(0, 10)}/${id}`
  const altered = gzipSync('{"version":2,"width":80,"height":24}\n[0.5,"o","what was not"]\n')
  await store.put(`${name}.cast.gz`, altered)
  await store.remove(`${name}.index.json`)
  await page.goto(address)
  await page.locator('.wt-error').getByText('The recording is incomplete or was altered.').waitFor()
  await expect.poll(() => screenOf(page)).toContain('what was not')
  await context.close()
})

/** A minute of a desktop that is another gray each second, but for a corner that stays, and one that is copied on. */
function desktopOfGuacamole(): string {
  const noise = say('blob', 9, 'x'.repeat(6000)).repeat(15)
  const seconds = Array.from({ length: 61 }, (_, n) =>
    [
      img(0, 0, 8, png(32, 24, 2 * n + 100)),
      n === 3 ? img(0, 0, 0, png(8, 8, 250)) : say('copy', 0, n < 3 ? 30 : 0, 0, 2, 2, 14, 0, 16, 0),
      noise,
      say('sync', (START + n) * 1000),
    ].join(''),
  )
  return say('size', 0, 32, 32) + seconds.join('')
}

test('[A1.06] a recording of Guacamole plays, and any moment of it is shown by a press on the time line', async () => {
  const id = await uploaded(desktopOfGuacamole(), undefined, '2')
  const { page, faults, context } = await openContext(browser, cluster.url, 'en')
  await signIn(page, cluster.url, 'admin', PASSWORD)
  await page.waitForURL(/\/ui\//)
  await page.goto(`${cluster.url}/luna/replay/${id}`)
  const gray = (x: number, y: number) =>
    page.evaluate(
      ([x, y]) =>
        document.querySelector<HTMLCanvasElement>('canvas.rp-desktop')?.getContext('2d')?.getImageData(x, y, 1, 1)
          .data[0],
      [x, y] as const,
    )
  await expect.poll(() => gray(16, 16)).toBeGreaterThan(100)
  await page.keyboard.press(' ')
  await paused(page)
  for (const share of [0.9, 0.2, 0.5]) {
    await press(page, share)
    await expect.poll(async () => (await gray(16, 16)) === 100 + 2 * (await timeOf(page))).toBe(true)
    expect(Math.abs((await timeOf(page)) - share * 60)).toBeLessThan(2)
    // Drawn long before, and copied since.
    expect([await gray(2, 2), await gray(17, 1)]).toEqual([250, 250])
  }
  expect(faults).toEqual([])
  await context.close()
})
