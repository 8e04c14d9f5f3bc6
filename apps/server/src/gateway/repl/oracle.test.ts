/** Oracle in a web terminal, with a server of its protocol at the other end: no real one can be started here. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startSshd } from '../../domains/assets/sshd-fixture.ts'
import { type OracleFixture, startOracle } from '../connectors/oracle/oracle-fixture.ts'
import { aCertificate } from '../connectors/oracle/tns-server-fixture.ts'
import {
  type ApplicationFixture,
  accountsOf,
  openApplicationFixture,
} from '../listeners/database/application-fixture.ts'
import { openTerminal } from '../listeners/web/terminal-fixture.ts'
import { openWorkbench } from '../listeners/web/workbench-fixture.ts'
import { type ReplFixture, replFixture } from './repl-fixture.ts'

const PROMPT = 'shop.example.com> '
const WORD = "word of 'the' 登录"

let oracle: OracleFixture
let fixture: ApplicationFixture
let repl: ReplFixture
beforeAll(async () => {
  oracle = await startOracle({ SCOTT: WORD, WRONG: 'another' })
  fixture = await openApplicationFixture({
    type: 'oracle',
    attrs: { host: '127.0.0.1', port: oracle.port, database: 'shop.example.com' },
    accounts: accountsOf(['scott', 'wrong'], WORD),
  })
  repl = replFixture(fixture, { type: 'oracle', prompt: PROMPT })
})
afterAll(async () => {
  await fixture?.server.close()
  await oracle?.close()
})
afterEach(() => repl.closeTerminals())

test('[B7.29] statements, PL/SQL up to its slash, and errors are shown as the server says them, and each has its row', async () => {
  const terminal = await repl.opened()
  expect(terminal.text()).toContain('Oracle Database 19.21.')
  terminal.type("select '你好' as word from dual;\r")
  await terminal.see('1 row selected.')
  expect(terminal.text()).toContain('你好')
  await terminal.see(PROMPT)
  terminal.type("begin\r  null; update t set a = ';';\rend;\r/\rselect * from nowhere;\r")
  await terminal.see('PL/SQL procedure successfully completed.')
  await terminal.see('ORA-00942: table or view "NOWHERE" does not exist')
  await terminal.see(PROMPT)
  terminal.type('create or replace procedure broken as\rbegin null; end;\r/\r')
  await terminal.see('compilation')
  await terminal.see('Procedure created.')
  await expect
    .poll(() => repl.commands(terminal))
    .toEqual([
      { input: "select '你好' as word from dual", output: '1 rows', risk: 0 },
      { input: "begin\n  null; update t set a = ';';\nend;", output: '', risk: 0 },
      { input: 'select * from nowhere', output: expect.stringContaining('ORA-00942'), risk: 0 },
      { input: 'create or replace procedure broken as\nbegin null; end;', output: '0 rows', risk: 0 },
    ])
  expect([...oracle.seats]).toMatchObject([{ username: 'SCOTT', program: 'Sallyport_terminal' }])
  terminal.type('quit\r')
  await terminal.closed
  await expect.poll(() => oracle.seats.size).toBe(0)
  expect(terminal.text()).not.toContain('word of')
})

test('numbers and dates are shown to their last digit, large objects as far as they are kept, rows page by page', async () => {
  const terminal = await repl.opened({ cols: 200 })
  terminal.type('select * from values_of_all\\G\r')
  const shown = await terminal.see(/NOTHING/)
  for (const exact of [
    ...['123456789012345678901234567890.12345678', '-.00000000000000000001', '1999-12-31 23:59:58'],
    ...['2026-01-31 00:00:00.123456789', '2026-07-01 02:00:00.000000001 +05:30', '00FF10'],
  ])
    expect(shown).toContain(exact)
  await terminal.see(PROMPT)
  terminal.type('select body from documents;\r')
  await terminal.see('2 rows selected.')
  await terminal.see('Some values are cut')
  await terminal.see(PROMPT)
  terminal.type('select level n from dual connect by level <= 1000;\r')
  await terminal.see('-- more --')
  terminal.type('q')
  await terminal.see(PROMPT)
  terminal.type("select 'after' as word from dual;\r")
  await terminal.see('1 row selected.')
})

test('Ctrl-C breaks the statement off at the server, and the connection goes on; so does an end of the session', async () => {
  const terminal = await repl.opened()
  terminal.type('exec dbms_session.sleep(60)\r')
  await expect.poll(() => oracle.waiting).toBe(1)
  terminal.type('\x03')
  await terminal.see('ORA-01013: user requested cancel')
  await terminal.see(PROMPT)
  await expect
    .poll(() => repl.commands(terminal))
    .toMatchObject([{ input: 'BEGIN dbms_session.sleep(60); END;', output: expect.stringContaining('ORA-01013') }])
  terminal.type("select 'after' as word from dual;\r")
  await terminal.see('1 row selected.')
  await terminal.see(PROMPT)
  terminal.type('exec dbms_session.sleep(60)\r')
  await expect.poll(() => oracle.waiting).toBe(1)
  await fixture.terminate(String(terminal.session?.id))
  await terminal.closed
  await expect.poll(() => oracle.waiting).toBe(0)
  await expect.poll(() => oracle.seats.size).toBe(0)
})

test('[A2.51] a denied statement is not run, whatever comments are in it; a transaction is reported, and is open until somebody commits', async () => {
  const remove = await repl.rule('drop table', { action: 0 })
  const terminal = await repl.opened()
  terminal.type('update t set a = 1;\r')
  await terminal.see('2 rows updated.')
  await terminal.see('shop.example.com*> ')
  terminal.type("DROP/*+ q'[ */TABLE x;\r")
  await terminal.see('is forbidden')
  await terminal.see('shop.example.com*> ')
  terminal.type('commit;\r')
  await terminal.see('Commit complete.')
  await terminal.see('shop.example.com> ')
  expect(oracle.received.filter((statement) => /drop/i.test(statement))).toEqual([])
  await expect
    .poll(async () => (await repl.commands(terminal)).map(({ input, risk }) => [input, risk]))
    .toEqual([
      ['update t set a = 1', 0],
      ["DROP/*+ q'[ */TABLE x", 5],
      ['commit', 0],
    ])
  await remove()
})

test('a workbench runs statements and PL/SQL, holds what is not asked for, says that a transaction is open, and is judged and cancelled as any', async () => {
  const remove = await repl.rule('drop table', { action: 0 })
  const page = await openWorkbench(fixture, 'oracle')
  expect(page.start()).toMatchObject({
    ...{ dialect: 'oracle', database: 'shop.example.com', transaction: 'none' },
    ...{ version: expect.stringContaining('Oracle Database 19.21.'), mayEdit: false, mayPlan: false },
  })
  const messages = await page.run(
    "begin\n  null; update t set a = ';';\nend;\n/\nselect '你好' as word from dual; update t set a = 1;\nselect * from nowhere; select 1 from dual",
  )
  expect(messages.filter(({ event }) => event === 'statement').map(({ text }) => text)).toEqual([
    ...["begin\n  null; update t set a = ';';\nend;", "select '你好' as word from dual", 'update t set a = 1'],
    'select * from nowhere',
  ])
  expect(page.rows(1)).toEqual([['你好']])
  expect(messages.filter(({ event }) => event === 'said')).toMatchObject([
    { kind: 'error', text: expect.stringContaining('ORA-00942') },
  ])
  expect(messages.at(-1)).toMatchObject({ event: 'idle', transaction: 'open' })
  const many = page.begin('select level n from dual connect by level <= 20000')
  await page.until(() => page.messages().some((one) => one.run === many && one.event === 'held'))
  expect(page.rows(many)).toHaveLength(500)
  page.terminal.say('WORKBENCH_MORE')
  await page.until(() => page.rows(many).length === 1000)
  expect((await page.ask({ about: 'schemas' })).rows).toEqual([['SCOTT']])
  const waits = page.begin('begin dbms_session.sleep(60); end;\n/\nselect 2 from dual')
  await expect.poll(() => oracle.waiting).toBe(1)
  page.terminal.say('WORKBENCH_CANCEL')
  await page.until(() => page.messages().some((one) => one.run === waits && one.event === 'idle'))
  const denied = await page.run('drop/**/table x; commit')
  expect(denied.filter(({ event }) => event === 'said')).toMatchObject([
    { kind: 'error', text: expect.stringContaining('is forbidden') },
  ])
  expect(denied.at(-1)).toMatchObject({ transaction: 'open' })
  await remove()
  expect((await page.run('commit')).at(-1)).toMatchObject({ transaction: 'none' })
  expect(oracle.received.filter((statement) => /drop/i.test(statement))).toEqual([])
  page.terminal.say('CLOSE')
  await expect.poll(() => oracle.seats.size).toBe(0)
})

test('over a gateway, where TLS is spoken alone, it is connected to and its key is pinned', async () => {
  const { server, target, created } = fixture
  const application = `/api/v1/applications/applications/${target.id}/`
  const secured = await startOracle({ SCOTT: WORD })
  secured.certificate = aCertificate()
  const sshd = await startSshd()
  const domain = await created('/api/v1/assets/domains/', { name: 'far from here' })
  await created('/api/v1/assets/gateways/', {
    ...{ name: 'the way to it', ip: '127.0.0.1', port: sshd.port, domain },
    ...{ username: sshd.username, private_key: sshd.privateKey },
  })
  const moveTo = async (network: string | null, { port }: { port: number }) => {
    const attrs = { host: '127.0.0.1', port, database: 'shop.example.com' }
    expect((await server.admin.patch(application, { domain: network, attrs })).status).toBe(200)
    const { unconfirmed } = (await server.admin.get(`${application}destinations/`)).body
    await server.admin.post(`${application}destinations/confirm/`, { destinations: unconfirmed })
  }
  await moveTo(domain, secured)
  const terminal = await repl.opened()
  terminal.type("select 'from afar' as word from dual;\r")
  await terminal.see('1 row selected.')
  expect(sshd.logins()).toBeGreaterThan(0)
  terminal.close()
  const before = secured.connections
  secured.certificate = aCertificate()
  expect(await reason()).toContain('THE KEY OF THIS SERVER HAS CHANGED')
  // It has spoken TLS: nobody tries without.
  expect(secured.connections).toBe(before + 1)
  await moveTo(null, oracle)
  await sshd.close()
  await secured.close()
})

test('a refused login, an unknown service, a name that is none, and a server that sends its clients elsewhere are reported', async () => {
  const { server, target } = fixture
  const application = `/api/v1/applications/applications/${target.id}/`
  const attrs = { host: '127.0.0.1', port: oracle.port }
  expect(await reason('wrong')).toBe('The machine refused the username or the password')
  for (const [database, words] of [
    ['elsewhere', 'elsewhere'],
    ['x)(HOST=evil', 'needs the name of a service'],
    ['', 'needs the name of a service'],
  ] as const) {
    await server.admin.patch(application, { attrs: { ...attrs, database } })
    expect([database, await reason()]).toEqual([database, expect.stringContaining(words)])
  }
  await server.admin.patch(application, { attrs: { ...attrs, database: 'shop.example.com' } })
  oracle.redirect = '(ADDRESS=(PROTOCOL=tcp)(HOST=127.0.0.1)(PORT=1))'
  expect(await reason()).toContain('sends its clients to another address')
  oracle.redirect = undefined
  const other = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo
  await server.admin.patch(application, { attrs: { ...attrs, port, database: 'shop.example.com' } })
  const { unconfirmed } = (await server.admin.get(`${application}destinations/`)).body
  await server.admin.post(`${application}destinations/confirm/`, { destinations: unconfirmed })
  expect(await reason()).toBe('What answers there does not speak the protocol: no answer of a listener')
  other.close()
})

async function reason(account = 'scott'): Promise<string> {
  const { server, person, target, systemUsers } = fixture
  const systemUser = String(systemUsers[account])
  const terminal = await openTerminal(server.url, person, { type: 'oracle', target: target.id, systemUser })
  await terminal.closed
  return terminal.errors.join()
}
