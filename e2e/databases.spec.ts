/**
 * A database from the console to a client of one's own: an administrator describes it and lets
 * somebody in, who copies one line; a real psql runs it against a real PostgreSQL. And a desktop, databases
 * and clusters in the web terminal.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ApiServer,
  startApiServer,
  TOKEN,
} from '../apps/server/src/gateway/connectors/kubernetes/api-server-fixture.ts'
import {
  DATABASE,
  type PostgresServer,
  SECRET,
  startPostgres,
} from '../apps/server/src/gateway/connectors/postgresql/postgresql-fixture.ts'
import {
  SECRET as REDIS_SECRET,
  type RedisServer,
  startRedis,
} from '../apps/server/src/gateway/connectors/redis/redis-server-fixture.ts'
import {
  clipboard,
  type FakeServer,
  painted,
  startFakeVnc,
} from '../apps/server/src/gateway/protocols/rfb/fake-server-fixture.ts'
import { cutText, keyEvent } from '../apps/server/src/gateway/protocols/rfb/messages.ts'
import { freePort } from '../apps/server/test/free-port.ts'
import { licenseSettings } from '../apps/server/test/license.ts'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { apiOf } from './machine.ts'
import { picturesIn } from './picture.ts'
import { sees } from './terminal-screen.ts'

const picture = picturesIn('databases')
const PASSWORD = 'Guarded-1'

let installation: Installation
let postgres: PostgresServer
let cluster: ApiServer
let browser: Browser
let screen: FakeServer
let redis: RedisServer

beforeAll(async () => {
  const settings = { SALLYPORT_POSTGRESQL_PORT: String(await freePort()), SALLYPORT_ADMIN_PASSWORD: PASSWORD }
  ;[installation, postgres, cluster, browser, screen, redis] = await Promise.all([
    // PostgreSQL is a type that needs a license.
    startInstallation({ settings: { ...settings, ...licenseSettings(30) } }),
    startPostgres(),
    startApiServer(),
    openBrowser(),
    startFakeVnc(320, 200),
    startRedis(),
  ])
  const { post } = await apiOf(installation, PASSWORD)
  const account = { protocol: 'postgresql', login_mode: 'auto', username: 'scram', password: SECRET, auto_push: false }
  await post('/api/v1/assets/system-users/', { name: 'reports', ...account })
  const person = { name: 'Wu', username: 'wu', email: 'wu@example.com', password: PASSWORD, role: 'User' }
  await post('/api/v1/users/users/', { ...person, password_strategy: 'custom', need_update_password: false })
})
afterAll(async () => {
  await browser?.close()
  await postgres?.close()
  await cluster?.close()
  await screen?.close()
  await redis?.close()
  await installation?.stop()
})

/** Chooses in a select that asks the server for its rows. */
async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('listbox').getByText(name, { exact: true }).click()
  await page.keyboard.press('Escape')
}

test('[A1.06 A2.23 A2.33 A2.64] an administrator adds a database and lets somebody in, who copies a line that psql runs', async () => {
  const { page: admin, context: office, faults } = await openContext(browser, installation.url, 'en')
  await signIn(admin, installation.url, 'admin', PASSWORD)
  await admin.waitForURL('**/ui/**')
  await admin.goto(`${installation.url}/ui/applications/databases`)
  await admin.getByRole('button', { name: 'Create' }).first().click()
  await admin.getByRole('menuitem', { name: 'PostgreSQL' }).click()
  await admin.getByRole('textbox', { name: 'Name', exact: true }).fill('warehouse')
  await admin.getByRole('textbox', { name: 'Host', exact: true }).fill('127.0.0.1')
  await admin.getByRole('textbox', { name: 'Port', exact: true }).fill(String(postgres.port))
  await admin.getByRole('textbox', { name: 'Database', exact: true }).fill(DATABASE)
  await picture(admin, 'create')
  await admin.getByRole('button', { name: 'Submit' }).click()
  await admin.getByRole('heading', { name: /warehouse/ }).waitFor()

  // A permission that begins with what the page is about.
  await admin.getByRole('tab', { name: 'Permissions' }).click()
  await admin.getByRole('tabpanel').getByRole('button', { name: 'Create' }).first().click()
  await admin.getByRole('textbox', { name: 'Name', exact: true }).fill('Reports for Wu')
  // Reduced motion also keeps the options of a select in place.
  await admin.emulateMedia({ reducedMotion: 'reduce' })
  await choose(admin, 'User', 'Wu wu')
  await choose(admin, 'System user', 'reports scram')
  await admin.emulateMedia({ reducedMotion: 'no-preference' })
  await picture(admin, 'permission-form')
  await admin.getByRole('button', { name: 'Submit' }).click()
  await admin.getByRole('link', { name: 'Reports for Wu' }).first().click()
  await admin.getByText(/may use warehouse as reports/).waitFor()
  await picture(admin, 'permission')
  expect(faults).toEqual([])
  await office.close()

  const { page: wu, faults: theirs } = await openContext(browser, installation.url, 'en')
  await signIn(wu, installation.url, 'wu', PASSWORD)
  // The first sign-in asks for one's own details.
  await wu.getByRole('button', { name: 'Submit' }).click()
  await wu.getByRole('heading', { name: 'My assets' }).waitFor()
  await wu.getByRole('button', { name: 'My applications' }).click()
  await wu.getByRole('link', { name: 'Databases' }).click()
  await wu.getByRole('button', { name: 'Connect to warehouse' }).click()
  await wu.getByRole('button', { name: 'Get a line to copy' }).click()
  const line = await wu.getByRole('dialog').locator('code').first().textContent()
  await picture(wu, 'line')
  expect(theirs).toEqual([])
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `${line} -Atc 'SELECT current_user, 6 * 7'`], {
    env: { ...process.env, PATH: `${postgres.programs}:${process.env.PATH}` },
  })
  expect(stdout).toBe('scram|42\n')
})

/** The color at a place of the canvas, as `r,g,b`. */
const colorAt = (page: Page, box: string, x: number, y: number) =>
  page.locator(`${box} canvas`).evaluate(
    (canvas, [left, top]) =>
      (canvas as HTMLCanvasElement)
        .getContext('2d')
        ?.getImageData(left as number, top as number, 1, 1)
        .data.slice(0, 3)
        .join(),
    [x, y],
  )

test('[A1.06] a desktop opens in the web terminal, takes keys, changes clipboards, and is replayed', async () => {
  const { post, profile } = await apiOf(installation, PASSWORD)
  const at = { hostname: 'screen-1', ip: '127.0.0.1', platform: 'Linux', protocols: [`vnc/${screen.port}`] }
  const asset = await post('/api/v1/assets/assets/', at)
  const account = { name: 'screen', username: '', protocol: 'vnc', login_mode: 'auto', auto_push: false }
  const systemUser = await post('/api/v1/assets/system-users/', account)
  const grant = { name: 'screens', users: [profile.id], assets: [asset.id], system_users: [systemUser.id] }
  await post('/api/v1/perms/asset-permissions/', grant)

  const { page, context, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await page.goto(`${installation.url}/luna/?login_to=${asset.id}`)
  await page.getByRole('button', { name: 'Clipboard' }).waitFor()
  screen.say(painted(0, 0, 320, 200, '2040a0'))
  await expect.poll(() => colorAt(page, '.wt-desktop', 300, 190)).toBe('32,64,160')

  const received = () => screen.received.map((message) => message.toString('hex'))
  await page.locator('.wt-desktop canvas').click()
  await page.keyboard.type('k')
  await expect.poll(received).toContain(keyEvent(false, 0x6b).toString('hex'))
  screen.say(clipboard('from the screen'))
  await page.getByRole('button', { name: 'Clipboard' }).click()
  const field = page.getByRole('textbox', { name: 'Clipboard' })
  await expect.poll(() => field.inputValue()).toBe('from the screen')
  await field.fill('to the screen')
  await page.getByRole('button', { name: 'Send to the desktop' }).click()
  await expect.poll(received).toContain(cutText('to the screen').toString('hex'))
  await field.waitFor({ state: 'hidden' })
  await picture(page, 'desktop')

  await page.getByRole('button', { name: /^Close screen-1/ }).click()
  const rows = `${installation.url}/api/v1/terminal/sessions/?protocol=vnc`
  const finished = async () => {
    const rowsNow = await (await context.request.get(rows)).json()
    return (rowsNow.results ?? rowsNow).find(({ has_replay }: { has_replay: boolean }) => has_replay)?.id
  }
  await expect.poll(finished).toBeTruthy()
  await page.goto(`${installation.url}/luna/replay/${await finished()}`)
  await expect.poll(() => colorAt(page, '.rp-stage', 300, 190)).toBe('32,64,160')
  expect(faults).toEqual([])
})

/** How many statements sleep at the server: only what runs there is broken off there. */
const sleeping = async () => (await postgres.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")).length

async function types(page: Page, text: string): Promise<void> {
  await page.locator('.wt-pane:not([hidden]) .xterm-helper-textarea').focus()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Makes an application that the administrator may use; answers its id. */
async function grant(name: string, kind: { category: string; type: string }, attrs: object, account: object) {
  const { post, profile } = await apiOf(installation, PASSWORD)
  const path = `/api/v1/applications/applications/?type=${kind.type}`
  const application = await post(path, { name, ...kind, attrs })
  const draft = { name: `into ${name}`, protocol: kind.type, login_mode: 'auto', auto_push: false, ...account }
  const systemUser = await post('/api/v1/assets/system-users/', draft)
  await post('/api/v1/perms/application-permissions/', {
    name,
    ...kind,
    users: [profile.id],
    applications: [application.id],
    system_users: [systemUser.id],
  })
  return String(application.id)
}

test('[A2.64] a database and a container open from the tree of the web terminal: rows, a query that is broken off, a shell', async () => {
  const database = { host: '127.0.0.1', port: postgres.port, database: DATABASE }
  const login = { username: 'scram', password: SECRET }
  await grant('ledger', { category: 'db', type: 'postgresql' }, database, login)
  const address = { cluster: `https://127.0.0.1:${cluster.port}` }
  await grant('harbour', { category: 'cloud', type: 'k8s' }, address, { token: TOKEN })

  const { page, context, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  await page.goto(`${installation.url}/luna/`)
  const search = page.getByRole('searchbox', { name: 'Search assets' })
  await search.fill('ledger')
  await page.getByRole('treeitem', { name: 'ledger' }).click()
  await sees(page, new RegExp(`${DATABASE}=> `))
  await types(page, "select n, repeat('ab', n) as twice from generate_series(1, 3) n;")
  await sees(page, /ababab.*\(3 rows\)/)
  await types(page, "select '上海' as 城市;")
  await sees(page, /上海.*\(1 row\)/)
  await types(page, 'select pg_sleep(600);')
  await expect.poll(sleeping).toBe(1)
  await page.keyboard.press('Control+c')
  await sees(page, /canceling statement due to user request/)
  await picture(page, 'prompt')

  await page.getByRole('button', { name: 'Open the workbench' }).click()
  const bench = page.locator('.workbench:not([hidden])')
  await bench.getByRole('treeitem', { name: 'public' }).waitFor()
  const statements = bench.getByRole('textbox', { name: 'Statements' })
  await statements.click()
  await page.keyboard.insertText(
    "select n, repeat('行', n % 5) as many from generate_series(1, 3000) n; select 1 as other",
  )
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+Enter')
  await bench.getByText('500 rows so far').waitFor()
  const grid = bench.getByRole('grid')
  await picture(page, 'workbench')
  await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await bench.getByText('1000 rows so far').waitFor()
  await bench.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ])
  expect((await readFile(await file.path(), 'utf8')).split('\r\n')).toHaveLength(3002)
  await statements.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('select pg_sleep(600)')
  await bench.getByRole('button', { name: 'Run', exact: true }).click()
  await expect.poll(sleeping).toBe(1)
  await bench.getByRole('button', { name: 'Stop' }).click()
  await bench.getByText(/canceling statement due to user request/).waitFor()

  await statements.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('begin; select 41 + 1 as kept from pg_class a join pg_class b using (oid) limit 1')
  await bench.getByRole('button', { name: 'Run all' }).click()
  await bench.getByText('Transaction open').waitFor()
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await bench.getByText('Transaction open').waitFor()
  await bench.getByRole('gridcell', { name: '42' }).waitFor()
  await picture(page, 'workbench again')
  await statements.click()
  await page.keyboard.press('Control+End')
  await bench.getByRole('button', { name: 'Explain' }).click()
  await bench.getByText('Limit', { exact: true }).click()
  await bench.getByText('the statement was not run').waitFor()
  await picture(page, 'plan')

  await search.fill('harbour')
  for (const name of ['harbour', 'into harbour(*)', 'shop(2)', 'web-1(2)', 'app'])
    await page.getByRole('treeitem', { name, exact: true }).click()
  await sees(page, /[#$] /)
  await types(page, 'echo $((6 * 7)) in there')
  await sees(page, /42 in there/)
  await picture(page, 'container')
  await page.getByRole('treeitem', { name: 'into harbour(*)', exact: true }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Connect' }).click()
  await sees(page, /k8s\[default\]> /)
  await types(page, 'get pods -n shop')
  await sees(page, /web-2 +1\/1 +Running/)
  await picture(page, 'cluster')
  await page.getByRole('treeitem', { name: 'web-1(2)', exact: true }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Describe' }).click()
  await sees(page, /k8s\[default\]> describe pod web-1 -n shop.*Namespace: +shop/)

  await page.getByRole('treeitem', { name: 'shop(2)', exact: true }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Browse the resources' }).click()
  const resources = page.locator('.kb:not([hidden])')
  await resources.getByText('2 objects').waitFor()
  await resources.getByRole('grid', { name: 'Pods' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const pod = resources.getByRole('region', { name: 'web-2' })
  await pod.getByText('node-1').waitFor()
  await picture(page, 'resources')
  await pod.getByRole('tab', { name: 'YAML' }).click()
  await pod.getByText('nodeName: node-1').waitFor()
  await pod.getByRole('tab', { name: 'Details' }).click()
  await pod.getByRole('button', { name: 'Shell in app' }).click()
  await sees(page, /[#$] /)
  await types(page, 'echo $((6 * 9)) from there')
  await sees(page, /54 from there/)
  expect(faults).toEqual([])
  await context.close()
})

test('[A2.64] a statement is laid out and saved, a value is changed by the statement that is shown first, and keys are looked into', async () => {
  await postgres.sql("CREATE TABLE thing (id int PRIMARY KEY, name text); INSERT INTO thing VALUES (1, 'old')")
  await postgres.sql('GRANT ALL ON thing TO scram')
  await redis.ask('HSET', 'user:7', 'city', 'Lyon')
  await redis.ask('SET', 'plain', 'word')
  const address = { host: '127.0.0.1', port: postgres.port, database: DATABASE }
  const login = { username: 'scram', password: SECRET }
  const things = await grant('things', { category: 'db', type: 'postgresql' }, address, login)
  const of = { host: '127.0.0.1', port: redis.port, database: '' }
  const keys = await grant('cache', { category: 'db', type: 'redis' }, of, { username: 'app', password: REDIS_SECRET })

  const { page, context, faults } = await openContext(browser, installation.url, 'en')
  await signIn(page, installation.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
  page.on('dialog', (dialog) => void dialog.accept())
  const shows = (id: string) =>
    page.goto(`${installation.url}/luna/connect?login_to=${id}&type=database_app&view=workbench`)
  await shows(things)
  const statements = page.getByRole('textbox', { name: 'Statements' })
  await page.getByRole('treeitem', { name: 'public' }).waitFor()
  await statements.click()
  await page.keyboard.insertText('select id,name from thing where id=1 and name is not null')
  await page.getByRole('button', { name: 'Format' }).click()
  await expect.poll(() => statements.textContent()).toMatch(/SELECT *id, *name *FROM/i)
  await page.getByRole('button', { name: 'Saved statements' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('the first thing')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const kept = page.getByRole('button', { name: /^the first thing/ })
  await kept.waitFor()
  await page.keyboard.press('Escape')
  await statements.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Saved statements' }).click()
  await kept.click()
  await expect.poll(() => statements.textContent()).toContain('thing')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('gridcell', { name: 'old' }).click()
  await page.getByRole('button', { name: 'Change the value' }).click()
  await page.getByRole('textbox', { name: 'New value' }).fill('new')
  await page.getByRole('button', { name: 'Show the statement' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/UPDATE .*thing/).waitFor()
  expect(await postgres.sql('SELECT name FROM thing')).toEqual([{ name: 'old' }])
  await picture(page, 'edit')
  await dialog.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('gridcell', { name: 'new' }).waitFor()
  expect(await postgres.sql('SELECT name FROM thing')).toEqual([{ name: 'new' }])

  await shows(keys)
  await page.getByText('2 keys').waitFor()
  await page.getByRole('treeitem', { name: 'user: (1)' }).click()
  await page.getByRole('treeitem', { name: '7', exact: true }).click()
  await page.getByRole('gridcell', { name: 'Lyon' }).waitFor()
  await picture(page, 'keys')
  expect(faults).toEqual([])
  await context.close()
})
