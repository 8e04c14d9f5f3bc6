/** SQL Server in a web terminal, with a server of its protocol at the other end: no real one can be started here. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { startSshd } from '../../domains/assets/sshd-fixture.ts'
import { makeServerCertificate } from '../../kernel/nodes/certificate.ts'
import { type SqlServerFixture, startSqlServer } from '../connectors/sqlserver/sqlserver-fixture.ts'
import {
  type ApplicationFixture,
  accountsOf,
  openApplicationFixture,
} from '../listeners/database/application-fixture.ts'
import { openTerminal } from '../listeners/web/terminal-fixture.ts'
import { openWorkbench } from '../listeners/web/workbench-fixture.ts'
import { ENCRYPTION } from '../protocols/sqlserver/pre-login.ts'
import { type ReplFixture, replFixture } from './repl-fixture.ts'

const PROMPT = 'shop> '
const WORD = "word of 'the' 登录"

let sqlServer: SqlServerFixture
let fixture: ApplicationFixture
let repl: ReplFixture
let auditor: Caller
beforeAll(async () => {
  sqlServer = await startSqlServer({ sa: WORD, wrong: 'another' })
  fixture = await openApplicationFixture({
    type: 'sqlserver',
    attrs: { host: '127.0.0.1', port: sqlServer.port, database: 'shop' },
    accounts: accountsOf(['sa', 'wrong'], WORD),
  })
  repl = replFixture(fixture, { type: 'sqlserver', prompt: PROMPT })
  auditor = await fixture.server.aPerson('onlooker', { orgRoles: ['Auditor'] })
})
afterAll(async () => {
  await fixture?.server.close()
  await sqlServer?.close()
})
afterEach(() => repl.closeTerminals())

test('[B7.29] the text before GO is one batch: its tables, prints and errors are shown as the server sends them, and each has its row', async () => {
  const terminal = await repl.opened()
  expect(terminal.text()).toContain('Microsoft SQL Server 16.0.4149. GO runs a batch')
  terminal.type("select N'你好' as word\rgo\r")
  expect(await terminal.see('(1 row affected)')).toContain('  1 | 你好')
  await terminal.see(PROMPT)
  terminal.type("update t set a = 1;\r  update t set b = ';';\rGO\rprint 'hello'\rGO 2\rselect * from nowhere\rgo\r")
  await terminal.see('(2 rows affected)')
  await terminal.see(/^hello/m)
  await terminal.see('Msg 208, Level 16, State 1, Line 1')
  await terminal.see("Invalid object name 'nowhere'.")
  await terminal.see(PROMPT)
  await expect
    .poll(() => repl.commands(terminal))
    .toEqual([
      { input: "select N'你好' as word", output: '1 rows', risk: 0 },
      { input: "update t set a = 1;\n  update t set b = ';';", output: '2 rows', risk: 0 },
      { input: "print 'hello'", output: '', risk: 0 },
      { input: "print 'hello'", output: '', risk: 0 },
      { input: 'select * from nowhere', output: "Invalid object name 'nowhere'.", risk: 0 },
    ])
  expect([...sqlServer.seats]).toMatchObject([{ username: 'sa', database: 'shop', program: 'Sallyport terminal' }])
  terminal.type('quit\r')
  await terminal.closed
  await expect.poll(() => sqlServer.seats.size).toBe(0)
  expect(terminal.text()).not.toContain('word of')
})

test('Ctrl-C cancels the batch at the server, and the connection goes on; so does an end of the session', async () => {
  const terminal = await repl.opened()
  terminal.type("waitfor delay '1:00'\rgo\r")
  await expect.poll(() => sqlServer.waiting).toBe(1)
  terminal.type('\x03')
  await terminal.see('Operation cancelled by user.')
  await terminal.see(PROMPT)
  await expect.poll(() => repl.commands(terminal)).toMatchObject([{ output: 'The statement was cancelled' }])
  terminal.type("select N'after' as word\rgo\r")
  await terminal.see('1 | after')
  await terminal.see(PROMPT)
  terminal.type("waitfor delay '2:00'\rgo\r")
  await expect.poll(() => sqlServer.waiting).toBe(1)
  await fixture.terminate(String(terminal.session?.id))
  await terminal.closed
  await expect.poll(() => sqlServer.waiting).toBe(0)
  await expect.poll(() => sqlServer.seats.size).toBe(0)
})

test('a batch that the server has run to its end when a cancel reaches it is not called cancelled', async () => {
  const terminal = await repl.opened()
  terminal.type('update late set a = 1\rgo\r')
  await expect.poll(() => sqlServer.waiting).toBe(1)
  terminal.type('\x03')
  await terminal.see('had run to its end before it could be cancelled')
  await terminal.see(PROMPT)
  await expect.poll(() => repl.commands(terminal)).toMatchObject([{ output: '2 rows' }])
  terminal.type("select N'after' as word\rgo\r")
  await terminal.see('1 | after')
})

test('[A2.51] a denied batch is not run, whatever comments are in it; a transaction is reported, and stays as it was', async () => {
  const remove = await repl.rule('drop table', { action: 0 })
  const terminal = await repl.opened()
  terminal.type('begin tran\rgo\r')
  await terminal.see('shop*> ')
  terminal.type('/* /* */ */DROP/**/TABLE x\rgo\r')
  await terminal.see('is forbidden')
  await terminal.see('shop*> ')
  terminal.type("select N'within' as word\rgo\r")
  await terminal.see('1 | within')
  await terminal.see('shop*> ')
  terminal.type('commit\rgo\r')
  await terminal.see('shop> ')
  expect(sqlServer.received.filter((batch) => /drop/i.test(batch))).toEqual([])
  await expect
    .poll(async () => (await repl.commands(terminal)).map(({ input, risk }) => [input, risk]))
    .toEqual([
      ['begin tran', 0],
      ['/* /* */ */DROP/**/TABLE x', 5],
      ["select N'within' as word", 0],
      ['commit', 0],
    ])
  await remove()
})

test('long values and many rows are cut and paged, \\G shows one value a line, and another database is one command away', async () => {
  const terminal = await repl.opened()
  terminal.type('select top 200 n\rgo\r')
  await terminal.see('-- more --')
  terminal.type('q')
  await terminal.see(PROMPT)
  terminal.type("select N'字' as word\\G\r")
  await terminal.see(/word\s+\| 字/)
  await terminal.see(PROMPT)
  terminal.type('select long\rgo\r')
  await terminal.see('Some values are cut')
  await terminal.see(PROMPT)
  terminal.type('\\c [other]\r')
  await terminal.see("Changed database context to 'other'.")
  await terminal.see('other> ')
})

test('a workbench runs batches with their rows, prints and errors, holds what is not asked for, and is judged, cancelled and locked as any', async () => {
  const remove = await repl.rule('drop table', { action: 0 })
  const page = await openWorkbench(fixture, 'sqlserver')
  expect(page.start()).toMatchObject({
    ...{ dialect: 'sqlserver', database: 'shop', transaction: 'none' },
    ...{ version: expect.stringContaining('Microsoft SQL Server 16.0'), mayEdit: false, mayPlan: false },
  })
  const messages = await page.run(
    "select N'你好' as word\ngo\nupdate t set a = ';'\nGO 2\nselect * from nowhere\ngo\nselect N'x' as y",
  )
  expect(messages.filter(({ event }) => event === 'statement').map(({ text }) => text)).toEqual([
    ...["select N'你好' as word", "update t set a = ';'", "update t set a = ';'", 'select * from nowhere'],
  ])
  expect(page.rows(1)).toEqual([['1', '你好']])
  expect(messages.filter(({ event }) => event === 'said')).toMatchObject([
    { kind: 'error', text: expect.stringMatching(/^Msg 208, .*\nInvalid object name 'nowhere'\.$/) },
  ])
  expect((await page.run('begin tran')).at(-1)).toMatchObject({ transaction: 'open' })
  const many = page.begin('select top 20000 n')
  const held = () => page.messages().filter((one) => one.run === many && one.event === 'held').length
  await page.until(held)
  expect(page.rows(many)).toHaveLength(500)
  page.terminal.say('WORKBENCH_MORE')
  await page.until(() => page.rows(many).length === 1000)
  expect((await page.ask({ about: 'schemas' })).rows).toEqual([['dbo'], ["o'r]"]])
  expect(await page.again(many, { from: 998 })).toMatchObject({ rows: [['999'], ['1000']] })
  const waits = page.begin("waitfor delay '1:00'\ngo\nselect N'never' as word")
  await expect.poll(() => sqlServer.waiting).toBe(1)
  page.terminal.say('WORKBENCH_CANCEL')
  await page.until(() => page.messages().some((one) => one.run === waits && one.event === 'idle'))
  const denied = await page.run('/**/drop/**/table x\ngo\nselect 1')
  expect(denied.filter(({ event }) => event === 'said')).toMatchObject([
    { kind: 'error', text: expect.stringContaining('is forbidden') },
  ])
  await remove()
  expect((await page.run('commit')).at(-1)).toMatchObject({ transaction: 'none' })
  expect(sqlServer.received.filter((batch) => /drop|never/i.test(batch))).toEqual([])
  await expect
    .poll(async () => (await repl.commands(page.terminal)).map(({ input, output, risk }) => [input, output, risk]))
    .toEqual([
      ["select N'你好' as word", '1 rows', 0],
      ...[1, 2].map(() => ["update t set a = ';'", '2 rows', 0]),
      ['select * from nowhere', "Invalid object name 'nowhere'.", 0],
      ['begin tran', '', 0],
      ['select top 20000 n', '20000 rows', 0],
      ["waitfor delay '1:00'", 'The statement was cancelled', 0],
      ['/**/drop/**/table x', '', 5],
      ['commit', '', 0],
    ])
  const programs = [...sqlServer.seats].map(({ program }) => program)
  expect(programs).toEqual(['Sallyport workbench', 'Sallyport workbench'])
  page.terminal.say('CLOSE')
  await expect.poll(() => sqlServer.seats.size).toBe(0)
})

test('[A2.64] others look on, and a person whose right ends is left at once', async () => {
  const terminal = await repl.opened()
  const watcher = await repl.watched(String(terminal.session?.id), auditor)
  terminal.type("select N'by both' as word\rgo\r")
  await watcher.see('1 | by both')
  await fixture.permit(false)
  await terminal.closed
  await watcher.closed
  await expect.poll(() => sqlServer.seats.size).toBe(0)
  await fixture.permit(true)
})

test('a server behind a gateway is reached through it', async () => {
  const { server, target, created } = fixture
  const sshd = await startSshd()
  const domain = await created('/api/v1/assets/domains/', { name: 'far away' })
  await created('/api/v1/assets/gateways/', {
    ...{ name: 'the way there', ip: '127.0.0.1', port: sshd.port, domain },
    ...{ username: sshd.username, private_key: sshd.privateKey },
  })
  const application = `/api/v1/applications/applications/${target.id}/`
  const moveTo = async (network: string | null) => {
    expect((await server.admin.patch(application, { domain: network })).status).toBe(200)
    const { unconfirmed } = (await server.admin.get(`${application}destinations/`)).body
    await server.admin.post(`${application}destinations/confirm/`, { destinations: unconfirmed })
  }
  await moveTo(domain)
  const terminal = await repl.opened()
  terminal.type("select N'from afar' as word\rgo\r")
  await terminal.see('1 | from afar')
  expect(sshd.logins()).toBeGreaterThan(0)
  terminal.close()
  await moveTo(null)
  await sshd.close()
})

test('a refused login, a missing database, a server of another key and one without TLS are reported, and the secret is not sent to those', async () => {
  const { server, person, target, systemUsers } = fixture
  const reason = async (account = 'sa') => {
    const systemUser = String(systemUsers[account])
    const terminal = await openTerminal(server.url, person, { type: 'sqlserver', target: target.id, systemUser })
    await terminal.closed
    return terminal.errors.join()
  }
  // The key is known from here on.
  await repl.opened()
  repl.closeTerminals()
  await expect.poll(() => sqlServer.seats.size).toBe(0)
  expect(await reason('wrong')).toBe('The machine refused the username or the password')
  const application = `/api/v1/applications/applications/${target.id}/`
  const attrs = { host: '127.0.0.1', port: sqlServer.port }
  await server.admin.patch(application, { attrs: { ...attrs, database: 'missing' } })
  expect(await reason()).toContain('Cannot open database "missing"')
  await server.admin.patch(application, { attrs: { ...attrs, database: 'shop' } })
  sqlServer.logins.clear()
  const { certificate, encryption } = sqlServer
  sqlServer.certificate = makeServerCertificate()
  expect(await reason()).toContain('THE KEY OF THIS SERVER HAS CHANGED')
  sqlServer.certificate = certificate
  sqlServer.encryption = ENCRYPTION.none
  expect(await reason()).toContain('in clear without TLS: it was not sent')
  sqlServer.encryption = encryption
  expect(await reason()).toBe('The machine refused the username or the password')
})
