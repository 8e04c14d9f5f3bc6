import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { type MariaDbServer, startMariaDb } from '../../../gateway/connectors/mysql/mariadb-fixture.ts'
import { readSpreadsheet } from '../../../kernel/files/spreadsheet.ts'
import { storedCredentials } from '../../authentication/credentials/credentials.ts'
import { type MailServer, startMailServer } from '../../notifications/mail-server-fixture.ts'
import { credentials } from '../../users/index.ts'
import { openLicense } from '../../xpack/license.ts'
import { sayIn } from '../mail-files.ts'
import { whyInWords } from './execution-words.ts'

const PLANS = '/api/v1/xpack/change-auth-plan/app-plan/'
const RUNS = '/api/v1/xpack/change-auth-plan/app-plan-execution/'
const SUBTASKS = '/api/v1/xpack/change-auth-plan/app-plan-execution-subtask/'
const FILE_PASSWORD = 'For-files alone'

let server: TestServer
let mail: MailServer
let database: MariaDbServer
let reader: Caller
let without: Caller
let folder: string
/** Whether those who call have just proven their second factor. */
let isFresh = true

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-results-'))
  ;[mail, database, server] = await Promise.all([startMailServer(), startMariaDb(), openTestServer()])
  ;(await openLicense(server.kernel)).isValid = () => true
  const settings = { EMAIL_HOST: '127.0.0.1', EMAIL_PORT: String(mail.port), EMAIL_HOST_USER: 'sallyport@example.com' }
  expect((await server.admin.patch('/api/v1/settings/setting/?category=email', settings)).status).toBe(200)
  credentials.provide({ ...storedCredentials, hasFreshMfa: async () => isFresh })
  reader = await server.aPerson('reader')
  without = await server.aPerson('without')
  const set = { new_secret_key: FILE_PASSWORD, new_secret_key_again: FILE_PASSWORD }
  expect((await reader.put('/api/v1/users/profile/secret-key/', set)).status).toBe(200)
})
afterAll(async () => {
  await server?.close()
  await Promise.all([mail?.close(), database?.close()])
  rmSync(folder, { recursive: true, force: true })
})

async function created(path: string, body: object) {
  const answer = await server.admin.post(path, body)
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()])
  return answer.body
}

const aSystemUser = (username: string, more: object = {}) =>
  created('/api/v1/assets/system-users/', {
    ...{ name: username, username, protocol: 'mariadb', login_mode: 'auto', auto_push: false },
    ...{ password: 'word of the account', ...more },
  })

const anApplication = (name: string, more: object = {}) =>
  created('/api/v1/applications/applications/', {
    ...{ name, category: 'db', type: 'mariadb' },
    attrs: { host: '127.0.0.1', port: database.port, database: 'shop', ...more },
  })

const logsIn = (user: string, password: string) =>
  mysql.createConnection({ host: '127.0.0.1', port: database.port, user, password }).then(
    async (connection) => {
      await connection.end()
      return true
    },
    () => false,
  )

test('a plan for databases takes what can be changed alone, and names what it refuses', async () => {
  const [app, user, dynamic, ssh] = [
    await anApplication('rules'),
    await aSystemUser('rules'),
    await aSystemUser('dynamic', { username: '', username_same_with_user: true }),
    await aSystemUser('shell', { protocol: 'ssh' }),
  ]
  const plan = { name: 'rules', category: 'db', type: 'mariadb', password: 'Given-by-hand-1', is_periodic: false }
  const wrong: [object, string][] = [
    [{ type: 'redis' }, 'type'],
    [{ category: 'cloud' }, 'category'],
    [{ password: '' }, 'password'],
    [{ type: 'mysql', apps: [app.id] }, 'apps'],
    [{ system_users: [ssh.id] }, 'system_users'],
    [{ system_users: [dynamic.id] }, 'system_users'],
    [{ password_strategy: 'random_all', password_rules: { symbol_set: '"' } }, 'password_rules.symbol_set'],
  ]
  for (const [draft, field] of wrong) {
    const { status, body } = await server.admin.post(PLANS, { ...plan, ...draft })
    expect([draft, status, JSON.stringify(body)]).toEqual([
      draft,
      400,
      expect.stringContaining(field.split('.').at(-1) ?? ''),
    ])
  }
  const made = await created(PLANS, { ...plan, apps: [app.id] })
  expect((await server.admin.post(RUNS, { plan: made.id })).body).toMatchObject({ code: 'plan_is_empty' })
  const change = (action: string) =>
    server.admin.patch(`${PLANS}${made.id}/systemusers/?action=${action}`, { system_users: [user.id] })
  expect((await change('other')).status).toBe(400)
  expect((await change('add')).body).toEqual({ system_users: [user.id] })
  expect((await server.admin.get(`${PLANS}${made.id}/systemusers/`)).body).toEqual([
    { id: user.id, name: 'rules', username: 'rules' },
  ])
  expect((await change('remove')).body).toEqual({ system_users: [] })
  isFresh = false
  const named = await server.admin.patch(`${PLANS}${made.id}/`, { recipients: [reader.id] })
  expect([named.status, named.body.code]).toEqual([400, 'mfa_verify_required'])
  isFresh = true
})

test('a run changes passwords of several kinds on a real server, and each recipient gets the results under their own file password', async () => {
  const users = [await aSystemUser('native'), await aSystemUser('ed25519'), await aSystemUser('nobody')]
  const app = await anApplication('shop')
  const plan = await created(PLANS, {
    ...{ name: 'Monthly', category: 'db', type: 'mariadb', is_periodic: false, apps: [app.id] },
    ...{ password_strategy: 'random_all', password_rules: { length: 16, symbol_set: '-_' } },
    ...{ system_users: users.map(({ id }) => id), recipients: [reader.id, without.id] },
  })
  const { status, body } = await server.admin.post(RUNS, { plan: plan.id })
  expect([status, body]).toEqual([201, { task: expect.any(String) }])
  const run = async () => (await server.admin.get(`${RUNS}${body.task}/`)).body
  await expect.poll(async () => (await run()).is_finished).toBe(true)
  expect(await run()).toMatchObject({
    ...{ apps_display: ['shop'], apps_amount: 1, system_users_amount: 3, trigger: 'manual' },
    result_summary: { succeed: 2, failed: 1, total: 3 },
    recipients: expect.arrayContaining([
      [expect.stringContaining('(reader)'), true],
      [expect.stringContaining('(without)'), false],
    ]),
  })
  const { body: tasks } = await server.admin.get(`${SUBTASKS}?plan_execution_id=${body.task}`)
  expect(tasks.map((one: Record<string, unknown>) => [one.system_user_display, one.state, one.reason])).toEqual([
    ['ed25519(ed25519)', 'succeeded', ''],
    ['native(native)', 'succeeded', ''],
    ['nobody(nobody)', 'failed', 'login_refused'],
  ])

  const mails = () => mail.mails.filter(({ subject }) => subject.includes('Monthly'))
  await expect
    .poll(() =>
      mails()
        .flatMap(({ to }) => to)
        .sort(),
    )
    .toEqual(['reader@example.com', 'without@example.com'])
  const [file] = mails().flatMap(({ attachments }) => attachments)
  const archive = join(folder, 'results.zip')
  writeFileSync(archive, Buffer.from(file?.content ?? '', 'base64'))
  execFileSync('7zz', ['x', '-y', `-p${FILE_PASSWORD}`, `-o${folder}`, archive], { stdio: 'pipe' })
  const results = await readSpreadsheet(readFileSync(join(folder, 'results.xlsx')), 'xlsx')
  expect(results.slice(1).map((row) => row.slice(0, 3))).toEqual([
    ['shop', 'ed25519', 'Succeeded'],
    ['shop', 'native', 'Succeeded'],
    ['shop', 'nobody', 'Failed'],
  ])
  // The passwords that it names are those that the server has now.
  execFileSync('7zz', ['x', '-y', `-o${join(folder, 'sheets')}`, join(folder, 'results.xlsx')], { stdio: 'pipe' })
  const texts = execFileSync('grep', ['-rhoE', '[A-Za-z0-9_-]{16}<', join(folder, 'sheets', 'xl')], {
    encoding: 'utf8',
  })
  const passwords = [...new Set(texts.split('\n').map((text) => text.slice(0, -1)))].filter(
    (text) => text.length === 16,
  )
  const tried = []
  for (const password of ['word of the account', ...passwords]) tried.push(await logsIn('native', password))
  expect([tried[0], tried.filter(Boolean).length]).toEqual([false, 1])

  // What failed is tried again by hand, and its result is sent as well, by itself.
  await database.sql("CREATE USER nobody@'%' IDENTIFIED BY 'word of the account'")
  const failed = tasks.find((one: Record<string, unknown>) => one.state === 'failed')
  expect((await server.admin.put(`${SUBTASKS}${failed.id}/`, {})).status).toBe(200)
  const files = () => mails().flatMap(({ attachments }) => attachments)
  await expect.poll(() => files().length).toBe(2)
  writeFileSync(archive, Buffer.from(files()[1]?.content ?? '', 'base64'))
  execFileSync('7zz', ['x', '-y', `-p${FILE_PASSWORD}`, `-o${folder}`, archive], { stdio: 'pipe' })
  const again = await readSpreadsheet(readFileSync(join(folder, 'results.xlsx')), 'xlsx')
  expect(again.slice(1).map((row) => row.slice(0, 3))).toEqual([['shop', 'nobody', 'Succeeded']])
})

test('why an account was not changed reads in one language, with what is behind it', () => {
  const why = (reason: string, detail: string) => whyInWords(sayIn('cn'), { reason, detail })
  expect(why('unreachable', 'The connection timed out')).toBe('无法连接主机：请确认主机正在运行，然后重试（连接超时）')
  expect(why('unreachable', 'The server did not answer in time')).not.toMatch(/[a-z]/i)
  // The words of the target are nobody's to translate.
  expect(why('refused', 'BAD PASSWORD: too short')).toMatch(/（BAD PASSWORD: too short）$/)
  expect(why('stopped', '')).not.toMatch(/[a-z（]/i)
})
