import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { readSpreadsheet } from '../../../kernel/files/spreadsheet.ts'
import { storedCredentials } from '../../authentication/credentials/credentials.ts'
import { type MailServer, startMailServer } from '../../notifications/mail-server-fixture.ts'
import { credentials } from '../../users/index.ts'
import { openLicense } from '../../xpack/license.ts'
import { RUN_PLAN } from '../executions/start.ts'

const BUNDLES = '/api/v1/accounts/break-glass-bundles/'
const OPENER = fileURLToPath(new URL('../../../../../../deploy/break-glass/open-bundle.mjs', import.meta.url))
const PLANS = '/api/v1/assets/backup/'
const RUNS = '/api/v1/assets/backup-execution/'
const SECRET = 'Secret-of-the-machine-1'
const FILE_PASSWORD = 'For-files alone, 密码'

let server: TestServer
let mail: MailServer
let boss: Caller
let reader: Caller
let without: Caller
let folder: string
/** Whether those who call have just proven their second factor. */
let isFresh = true

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-backup-'))
  mail = await startMailServer()
  server = await openTestServer()
  const settings = { EMAIL_HOST: '127.0.0.1', EMAIL_PORT: String(mail.port), EMAIL_HOST_USER: 'sallyport@example.com' }
  const { admin } = server
  expect((await admin.patch('/api/v1/settings/setting/?category=email', settings)).status).toBe(200)
  credentials.provide({ ...storedCredentials, hasFreshMfa: async () => isFresh })
  boss = await server.aPerson('boss', { orgRoles: ['Admin'] })
  reader = await server.aPerson('reader')
  without = await server.aPerson('without')
  const set = { new_secret_key: FILE_PASSWORD, new_secret_key_again: FILE_PASSWORD }
  expect((await reader.put('/api/v1/users/profile/secret-key/', set)).status).toBe(200)
  const machine = { hostname: 'machine-1', ip: '10.0.0.7', platform: 'Linux', protocols: ['ssh/22'] }
  const asset = (await created('/api/v1/assets/assets/', machine)).id
  await created('/api/v1/assets/accounts/', { username: '=root', password: SECRET, asset })
  const attrs = { host: '10.0.0.8', port: 3306, database: 'orders' }
  const shared = { category: 'db', domain: null, attrs }
  for (const type of ['mysql', 'postgresql']) {
    const app = (await created('/api/v1/applications/applications/', { name: `orders ${type}`, type, ...shared })).id
    await created('/api/v1/applications/accounts/', { username: 'orders', password: `${SECRET}-${type}`, app })
  }
})
afterAll(async () => {
  await server?.close()
  await mail?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function created(path: string, body: object) {
  const answer = await boss.post(path, body)
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()])
  return answer.body
}

const aPlan = (name: string, more: object = {}) =>
  created(PLANS, { name, is_periodic: false, recipients: [reader.id, without.id], ...more })

/** A run by hand, once it is over. */
async function ran(plan: string) {
  const { status, body } = await boss.post(RUNS, { plan })
  expect([status, body]).toEqual([201, { task: expect.any(String) }])
  const run = async () => (await boss.get(`${RUNS}${body.task}/`)).body
  await expect.poll(async () => (await run()).timedelta ?? null).not.toBe(null)
  return run()
}

/** How long the queue lets these runs take before it counts them as failed. */
async function secondsOf(tasks: readonly string[]): Promise<number[]> {
  const { pool, jobs } = server.kernel
  const { rows } = await pool.query('SELECT queue FROM kernel_job WHERE id = ANY($1)', [tasks])
  return rows.map((row) => jobs.works.find(({ queue }) => queue === row.queue)?.expireSeconds ?? 0)
}

const A_DAY = 24 * 3600

const mailsTo = (person: Caller, subject: string) =>
  mail.mails.filter((one) => one.to.includes(`${person.username}@example.com`) && one.subject.includes(subject))

/** The one file that somebody was sent, unpacked by 7-Zip with this password. */
async function unpacked(person: Caller, subject: string, password: string): Promise<string> {
  await expect.poll(() => mailsTo(person, subject).length).toBe(1)
  const [file] = mailsTo(person, subject)[0]?.attachments ?? []
  const [archive, into] = [join(folder, file?.filename ?? ''), join(folder, `of ${subject}`)]
  writeFileSync(archive, Buffer.from(file?.content ?? '', 'base64'))
  execFileSync('7zz', ['x', '-y', `-p${password}`, `-o${into}`, archive], { stdio: 'pipe' })
  return into
}

test('[A2.30] a plan sends workbooks of the accounts in an encrypted zip, which 7-Zip opens with the recipient’s own password alone', async () => {
  const plan = await aPlan('Nightly 备份')
  expect(plan).toMatchObject({ types: ['all', 'asset', 'application'], periodic_display: '-' })
  expect(await ran(plan.id)).toMatchObject({
    is_success: true,
    reason: '-',
    trigger: 'manual',
    trigger_display: 'A person',
    recipients: expect.arrayContaining([
      [expect.stringContaining('(reader)'), true],
      [expect.stringContaining('(without)'), false],
    ]),
    plan_snapshot: { name: 'Nightly 备份', types: ['asset', 'application'] },
  })
  const into = await unpacked(reader, 'Nightly', FILE_PASSWORD)
  const assets = await readSpreadsheet(readFileSync(join(into, 'asset.xlsx')), 'xlsx')
  expect(assets).toHaveLength(2)
  // A name that spreadsheet programs would run is defused, as in every export.
  expect(assets[1]).toEqual(expect.arrayContaining(['machine-1', '10.0.0.7', "'=root", SECRET]))
  execFileSync('7zz', ['x', '-y', `-o${join(into, 'sheets')}`, join(into, 'application.xlsx')], { stdio: 'pipe' })
  const book = readFileSync(join(into, 'sheets', 'xl', 'workbook.xml'), 'utf8')
  const names = [...book.matchAll(/<sheet [^>]*name="([^"]+)"/g)].map(([, name]) => name)
  expect(names).toEqual(['mysql', 'postgresql'])
  await expect(unpacked(reader, 'Nightly', 'another password')).rejects.toThrow()
  // Neither the mail nor the archive shows anything without it.
  const [sent] = mailsTo(reader, 'Nightly')
  expect(JSON.stringify(sent)).not.toContain(SECRET)
  expect(Buffer.from(sent?.attachments[0]?.content ?? '', 'base64').includes(SECRET)).toBe(false)
})

test('[A2.30] a person without a file encryption password gets no file, but a notice how to set one', async () => {
  const plan = await aPlan('For one without', { recipients: [without.id] })
  expect(await ran(plan.id)).toMatchObject({
    is_success: false,
    reason: 'No recipient has a file encryption password',
  })
  const { body } = await without.get('/api/v1/notifications/site-message/?limit=10')
  expect(body.results.map(({ subject }: { subject: string }) => subject)).toContain('Account backup: For one without')
  expect(mailsTo(without, 'For one without').flatMap(({ attachments }) => attachments)).toEqual([])
})

test('[A2.30] a plan holds the kinds that were chosen, and each secret leaves a row of its way out', async () => {
  const plan = await aPlan('Machines', { types: ['connect', 'asset'], recipients: [reader.id] })
  // Unknown kinds of accounts are left out: existing pages send the folders of their tree, too.
  expect(plan.types).toEqual(['asset'])
  const { pool } = server.kernel
  const looks = async () => (await pool.query("SELECT 1 FROM kernel_secret_look WHERE how = 'export'")).rowCount ?? 0
  const before = await looks()
  const run = await ran(plan.id)
  expect([run.is_success, await secondsOf([run.id])]).toEqual([true, [A_DAY]])
  expect((await looks()) - before).toBe(1)
  const into = await unpacked(reader, 'Machines', FILE_PASSWORD)
  expect(() => readFileSync(join(into, 'application.xlsx'))).toThrow()
})

test('[A2.30] a person who left the organization, or may not sign in, gets nothing more', async () => {
  const left = await server.aPerson('left')
  const plan = await aPlan('For somebody who left', { recipients: [left.id] })
  await server.kernel.pool.query('UPDATE users_user SET is_active = false WHERE id = $1', [left.id])
  expect(await ran(plan.id)).toMatchObject({
    is_success: false,
    reason: 'Nobody is to get it: choose recipients',
    recipients: [],
  })
})

test('[A2.30 A5.09] plans are for administrators of their organization; naming recipients takes a fresh second factor', async () => {
  const plan = await aPlan('Guarded', { recipients: [] })
  const other = await server.aPerson('other', { orgRoles: ['Admin'], org: await server.anOrg('other') })
  expect((await other.post(RUNS, { plan: plan.id })).status).toBe(400)
  expect((await boss.post(RUNS, {})).status).toBe(400)
  expect((await boss.post(PLANS, { name: 'x', types: ['nothing'] })).status).toBe(400)
  expect((await boss.post(PLANS, { name: 'x', is_periodic: true, crontab: 'never' })).status).toBe(400)
  expect((await reader.get(PLANS)).status).toBe(403)
  expect((await reader.post(RUNS, { plan: plan.id })).status).toBe(403)
  isFresh = false
  const answer = await boss.patch(`${PLANS}${plan.id}/`, { recipients: [reader.id] })
  expect([answer.status, answer.body.code]).toEqual([400, 'mfa_verify_required'])
  expect((await boss.patch(`${PLANS}${plan.id}/`, { comment: 'as before' })).status).toBe(200)
  expect((await boss.get(`${PLANS}${plan.id}/`)).body.recipients).toEqual([])
  isFresh = true
})

/** The file that opens bundles, run as people run it. */
function opener(input: string, ...given: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [OPENER, ...given], {
    ...{ cwd: folder, input, encoding: 'utf8' as const },
  })
  return { status, stdout: stdout.trim(), stderr }
}

/** People who can hold a share, each with a file encryption password of their own. */
async function someHolders(count: number): Promise<(Caller & { password: string })[]> {
  const holders = []
  for (let at = 0; at < count; at++) {
    const holder = await server.aPerson(`holder-${crypto.randomUUID().slice(0, 8)}`)
    const password = `密码 of ${holder.username}`
    const set = { new_secret_key: password, new_secret_key_again: password }
    expect((await holder.put('/api/v1/users/profile/secret-key/', set)).status).toBe(200)
    holders.push({ ...holder, password })
  }
  return holders
}

/** Seals a bundle, and answers where each holder keeps the file that they were sent. */
async function sealed(bundle: { id: string; name: string }, holders: readonly Caller[]): Promise<string[]> {
  const { status, body } = await boss.post(`${BUNDLES}${bundle.id}/seal/`, {})
  expect([status, body]).toEqual([200, { task: expect.any(String) }])
  const of = (holder: Caller) => mailsTo(holder, bundle.name).flatMap(({ attachments }) => attachments)[0]
  await expect.poll(() => holders.filter(of).length).toBe(holders.length)
  return holders.map((holder) => {
    const path = join(folder, `of-${holder.username}.json`)
    writeFileSync(path, Buffer.from(of(holder)?.content ?? '', 'base64'))
    return path
  })
}

test('a break-glass bundle is opened by any two of its three holders with one file of code and no server, and by none of them alone', async () => {
  const holders = await someHolders(3)
  const { body: assets } = await boss.get('/api/v1/assets/assets/?hostname=machine-1')
  const { body: apps } = await boss.get('/api/v1/applications/applications/?type=mysql')
  const bundle = await created(BUNDLES, {
    ...{ name: 'When all is down', threshold: 2, holders: holders.map(({ id }) => id) },
    ...{ assets: [assets[0].id], apps: [apps[0].id] },
  })
  expect(bundle).toMatchObject({ state: 'draft', accounts_amount: 0 })
  const { pool } = server.kernel
  const looks = async () => (await pool.query("SELECT 1 FROM kernel_secret_look WHERE how = 'export'")).rowCount ?? 0
  const before = await looks()
  const files = await sealed(bundle, holders)
  expect((await looks()) - before).toBe(2)
  expect((await boss.get(`${BUNDLES}${bundle.id}/`)).body).toMatchObject({ state: 'sealed', accounts_amount: 2 })
  // Only the bundle knows which secrets are out.
  const kept = await boss.delete(`${BUNDLES}${bundle.id}/`)
  expect([kept.status, kept.body.code]).toEqual([400, 'bundle_is_out'])

  const { stdout: request, status } = opener('', 'request')
  expect([status, request]).toEqual([0, expect.stringMatching(/^request:/)])
  const answers = files.map((file, at) => opener(`${holders[at]?.password}\n`, 'answer', file, request).stdout)
  const [first = '', second = '', third = ''] = answers
  const open = (...given: string[]) => opener('', 'open', files[0] as string, ...given)
  for (const two of [
    [first, second],
    [second, third],
  ]) {
    const opened = open(...two)
    expect([opened.status, opened.stdout]).toEqual([0, expect.stringContaining(SECRET)])
    expect(opened.stdout).toContain(`${SECRET}-mysql`)
    expect(opened.stdout).not.toContain(`${SECRET}-postgresql`)
  }
  expect(open(first)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('1 more') })
  // Nor by saying that one is enough.
  const forged = join(folder, 'forged.json')
  writeFileSync(forged, readFileSync(files[0] as string, 'utf8').replace('"threshold": 2', '"threshold": 1'))
  expect(opener('', 'open', forged, first)).toMatchObject({ status: 1, stdout: '' })
  // A file is of no use without its holder's password, and has nothing in clear.
  expect(opener(`${holders[1]?.password}\n`, 'answer', files[0] as string, request)).toMatchObject({
    ...{ status: 1, stdout: '', stderr: expect.stringContaining('not the password') },
  })
  for (const file of files) expect(readFileSync(file, 'utf8')).not.toContain(SECRET)
  // An answer is for the one request alone.
  rmSync(join(folder, 'request.key'))
  opener('', 'request')
  expect(open(first, second)).toMatchObject({ status: 1, stdout: '' })
})

test('once a bundle was opened, all that it held is changed by plans, and what no plan can change is named', async () => {
  ;(await openLicense(server.kernel)).isValid = () => true
  const holders = await someHolders(2)
  // Nobody listens there: the runs fail at once.
  const machine = { hostname: 'machine-2', ip: '127.0.0.1', platform: 'Linux', protocols: ['ssh/1'] }
  const asset = (await created('/api/v1/assets/assets/', machine)).id
  const alike = [1, 2].map((n) => `service-account-of-the-order-system-${n}`)
  for (const username of ['root', 'deploy', ...alike])
    await created('/api/v1/assets/accounts/', { username, password: SECRET, asset })
  const { body: apps } = await boss.get('/api/v1/applications/applications/?type=mysql')
  // With another protocol than the database: no plan finds it.
  const stray = { name: 'stray', username: 'stray', password: SECRET, protocol: 'ssh', auto_push: false }
  const systemuser = (await created('/api/v1/assets/system-users/', stray)).id
  await created('/api/v1/applications/accounts/', { username: '', systemuser, app: apps[0].id })
  const bundle = await created(BUNDLES, {
    ...{ name: 'Opened', holders: holders.map(({ id }) => id), assets: [asset], apps: [apps[0].id] },
    usernames: ['root', 'orders', 'stray', ...alike],
  })
  const opened = () => boss.post(`${BUNDLES}${bundle.id}/opened/`, {})
  expect((await opened()).body).toMatchObject({ code: 'not_sealed' })
  await sealed(bundle, holders)
  // The node dies in the middle of it: nothing of it has come to pass.
  const { jobs, db } = server.kernel
  const madeOf = async () =>
    (await db.execute(sql`SELECT id FROM accounts_change_plan WHERE name LIKE '%Opened%'`)).rows
  const real = jobs.send
  let begun = 0
  const send = vi.spyOn(jobs, 'send').mockImplementation(async (...given) => {
    if (given[0] === RUN_PLAN && ++begun === 2) throw new Error('gone')
    return real(...given)
  })
  try {
    expect([(await opened()).status, begun]).toEqual([500, 2])
  } finally {
    send.mockRestore()
  }
  expect([(await boss.get(`${BUNDLES}${bundle.id}/`)).body.state, await madeOf()]).toEqual(['sealed', []])
  const both = await Promise.all([opened(), opened()])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  const { body } = both.find(({ status }) => status === 200) ?? {}
  expect(body).toEqual({
    tasks: Array(3).fill(expect.any(String)),
    by_hand: ['orders mysql: orders', 'orders mysql: stray'],
  })
  expect(await secondsOf(body.tasks)).toEqual(Array(3).fill(A_DAY))
  for (const [at, username] of ['root', ...alike].entries())
    expect((await boss.get(`/api/v1/xpack/change-auth-plan/plan-execution/${body.tasks[at]}/`)).body).toMatchObject({
      ...{ username, assets_amount: 1, password_strategy: 'random_all' },
    })
  expect((await boss.get(`${BUNDLES}${bundle.id}/`)).body).toMatchObject({ state: 'opened' })
  const { body: log } = await server.admin.get('/api/v1/audits/operate-logs/?resource_type=Break-glass bundle&limit=20')
  const actions = log.results
    .filter(({ resource }: { resource: string }) => resource === 'Opened')
    .map(({ action }: { action: string }) => action)
  expect(actions.sort()).toEqual(['create', 'export', 'update'])
  expect((await boss.delete(`${BUNDLES}${bundle.id}/`)).status).toBe(204)
})

test('a bundle is for administrators of its organization, with holders who can open their share, behind a fresh second factor', async () => {
  const holders = await someHolders(2)
  const draft = { name: 'Rules', holders: holders.map(({ id }) => id) }
  const wrong: [object, string][] = [
    [{ threshold: 3 }, 'threshold'],
    [{ threshold: 1 }, 'threshold'],
    [{ holders: [holders[0]?.id] }, 'threshold'],
    [{ holders: ['11111111-1111-4111-8111-111111111111', holders[0]?.id] }, 'holders'],
  ]
  for (const [more, field] of wrong) {
    const { status, body } = await boss.post(BUNDLES, { ...draft, ...more })
    expect([more, status, Object.keys(body)]).toEqual([more, 400, [field]])
  }
  const bundle = await created(BUNDLES, { ...draft, holders: [without.id, holders[0]?.id] })
  const seal = (caller: Caller) => caller.post(`${BUNDLES}${bundle.id}/seal/`, {})
  expect((await seal(boss)).body).toMatchObject({ holders: [expect.stringContaining('(without)')] })
  expect((await boss.patch(`${BUNDLES}${bundle.id}/`, { threshold: 3 })).status).toBe(400)
  const empty = await created(BUNDLES, { ...draft, name: 'Empty' })
  expect((await boss.post(`${BUNDLES}${empty.id}/seal/`, {})).body).toMatchObject({ code: 'bundle_is_empty' })
  const other = await server.aPerson('other-boss', { orgRoles: ['Admin'], org: await server.anOrg('other boss') })
  expect([(await seal(other)).status, (await seal(reader)).status, (await reader.get(BUNDLES)).status]).toEqual([
    404, 403, 403,
  ])
  isFresh = false
  const refused = await seal(boss)
  isFresh = true
  expect([refused.status, refused.body.code]).toEqual([400, 'mfa_verify_required'])
})
