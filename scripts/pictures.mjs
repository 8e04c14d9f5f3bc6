/**
 * `npm run pictures`: takes the pictures of README and docs, in a demo of its own, and writes them
 * into docs/images. The days and the people are new in each; look at them before they are committed.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser, openContext, signIn, startInstallation } from '../e2e/installation.ts'
import { buildConsole, fail, ROOT } from './prepare.mjs'
import { installSystemPackages } from './system-packages.mjs'

const PASSWORD = 'Pictures-1'
const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

installSystemPackages(['chromium'], 'Pictures need')
if (!buildConsole(process.execPath)) fail('The console could not be built: see above.')

const data = mkdtempSync(join(tmpdir(), 'sallyport-pictures-'))
const [demo, browser] = await Promise.all([
  startInstallation({ data, arguments: ['--demo'], settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
  openBrowser(),
])
try {
  const english = await administrator('en', WIDE)
  await english.getByRole('heading', { name: 'Live now' }).waitFor()
  await picture(english, 'dashboard')
  await open(english, '/ui/assets/assets')
  await picture(english, 'assets')
  await open(english, `/ui/assets/assets/${await idOf(english, '/api/v1/assets/assets/?hostname=pg-01')}`)
  await picture(english, 'asset')
  await open(english, '/ui/assets/assets/create')
  await picture(english, 'create-asset')
  await open(english, `/ui/perms/asset-permissions/${await idOf(english, '/api/v1/perms/asset-permissions/')}`)
  await picture(english, 'permission')
  const session = await idOf(english, '/api/v1/terminal/sessions/?is_finished=1')
  await open(english, `/ui/terminal/sessions/${session}`)
  await picture(english, 'session')
  await open(english, '/ui/xpack/system-monitor')
  await picture(english, 'system-monitor')
  const machine = await idOf(english, '/api/v1/assets/assets/?hostname=shop-front-03')
  await english.goto(`${demo.url}/luna/?login_to=${machine}`)
  await terminalShows(english, '$')
  await english.keyboard.type('uptime\n')
  await terminalShows(english, 'load')
  await picture(english, 'terminal')

  const chinese = await administrator('zh-hans', WIDE)
  await picture(chinese, 'dashboard-cn')
  await chinese.emulateMedia({ colorScheme: 'dark' })
  const ticket = await idOf(chinese, '/api/v1/tickets/tickets/?status=open&type=apply_asset')
  await open(chinese, `/ui/tickets/tickets/${ticket}`)
  await picture(chinese, 'ticket-cn')
  await open(chinese, '/ui/audits/login-log')
  await picture(chinese, 'sign-in-log-cn')

  const phone = await administrator('en', PHONE)
  await picture(phone, 'dashboard-phone')
  await open(phone, '/ui/assets/assets')
  await picture(phone, 'assets-phone')
} finally {
  await browser.close()
  await demo.stop()
}

/** A page of the administrator, at the start page. */
async function administrator(language, size) {
  const { page, context } = await openContext(browser, demo.url, language)
  // As in a browser that was here before: it has the font.
  await context.addInitScript(() => localStorage.setItem('console_font', 'kept'))
  await page.setViewportSize(size)
  await signIn(page, demo.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  return page
}

/** Goes to a page of the console, and waits for its heading. */
async function open(page, path) {
  await page.goto(`${demo.url}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

async function terminalShows(page, words) {
  await page.locator('.wt-pane:not([hidden]) .xterm-rows').filter({ hasText: words }).waitFor()
}

/** The first row's id. */
async function idOf(page, path) {
  const [row] = await (await page.request.get(`${demo.url}${path}`)).json()
  if (!row) throw new Error(`the demo has nothing at ${path}`)
  return row.id
}

async function picture(page, name) {
  await page.waitForLoadState('networkidle')
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: join(ROOT, `docs/images/${name}.png`) })
}
