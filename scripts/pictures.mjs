/**
 * `npm run pictures`: takes the pictures of README and docs, in a demo of its own, and writes them
 * into docs/images. The days and the people are new in each; look at them before they are committed.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser, openContext, signIn, startInstallation } from '../e2e/installation.ts'
import { sees } from '../e2e/terminal-screen.ts'
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
  await open(english, '/ui/assets/assets', 'web-01')
  await picture(english, 'assets')
  await open(english, `/ui/assets/assets/${await idOf(english, '/api/v1/assets/assets/?hostname=pg-01')}`, 'pg-01')
  await picture(english, 'asset')
  await open(english, '/ui/assets/assets/create', 'Hostname')
  await picture(english, 'create-asset')
  await open(english, `/ui/perms/asset-permissions/${await idOf(english, '/api/v1/perms/asset-permissions/')}`, 'May')
  await picture(english, 'permission')
  const session = await idOf(english, '/api/v1/terminal/sessions/?is_finished=1')
  await open(english, `/ui/terminal/sessions/${session}`, 'Commands')
  await picture(english, 'session')
  await open(english, '/ui/settings/monitor', 'Nodes')
  await picture(english, 'system-monitor')
  const machine = await idOf(english, '/api/v1/assets/assets/?hostname=web-01')
  await english.goto(`${demo.url}/luna/?login_to=${machine}`)
  await sees(english, /[#$] /)
  await english.keyboard.type('uptime\n')
  await sees(english, /load/)
  await picture(english, 'terminal')

  const chinese = await administrator('zh-hans', WIDE)
  await picture(chinese, 'dashboard-cn')
  await chinese.emulateMedia({ colorScheme: 'dark' })
  const ticket = await idOf(chinese, '/api/v1/tickets/tickets/?status=open&type=apply_asset')
  await open(chinese, `/ui/tickets/tickets/${ticket}`, '申请')
  await picture(chinese, 'ticket-cn')
  await open(chinese, '/ui/audits/login-logs', 'laura.meijer')
  await picture(chinese, 'sign-in-log-cn')

  const phone = await administrator('en', PHONE)
  await picture(phone, 'dashboard-phone')
  await open(phone, '/ui/assets/assets', 'web-01')
  await picture(phone, 'assets-phone')
} finally {
  await browser.close()
  await demo.stop()
}

/** A page of the administrator, at the start page. */
async function administrator(language, size) {
  const { page } = await openContext(browser, demo.url, language)
  await page.setViewportSize(size)
  await signIn(page, demo.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  return page
}

/** Goes to a page of the console and waits until it shows the words. */
async function open(page, path, words) {
  await page.goto(`${demo.url}${path}`)
  await page.locator('main').getByText(words).first().waitFor()
}

/** The first row's id. */
async function idOf(page, path) {
  const [row] = await (await page.request.get(`${demo.url}${path}`)).json()
  if (!row) throw new Error(`the demo has nothing at ${path}`)
  return row.id
}

async function picture(page, name) {
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(ROOT, `docs/images/${name}.png`) })
}
