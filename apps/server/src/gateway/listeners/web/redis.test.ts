/** Redis in the browser, its prompt and its keys, with a real server at the other end. */
import { NONSENSE } from '@sallyport/contract/socket/nonsense-fixture.ts'
import { PROTOCOLS } from '@sallyport/contract/socket/protocols.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ReplFixture, replFixture } from '../../repl/repl-fixture.ts'
import { openRedisFixture, type RedisFixture } from '../database/redis-fixture.ts'
import { openWorkbench, type WorkbenchPage } from './workbench-fixture.ts'

const PROMPT = 'redis[0]> '

let fixture: RedisFixture
let repl: ReplFixture
beforeAll(async () => {
  fixture = await openRedisFixture()
  repl = replFixture(fixture, { type: 'redis', prompt: PROMPT })
})
afterAll(() => fixture?.close())
const pages: WorkbenchPage[] = []
afterEach(async () => {
  await fixture.redis.ask('flushall')
  repl.closeTerminals()
  for (const { terminal } of pages.splice(0)) terminal.close()
})

test('[B7.29] commands are taken apart and answered as redis-cli does; a secret that is typed is not kept', async () => {
  const terminal = await repl.opened()
  terminal.type('set "a b" "你\\x00"\r')
  await terminal.see('OK')
  terminal.type('get "a b"\r')
  await terminal.see('"你\\x00"')
  terminal.type('rpush list one two\r')
  await terminal.see('(integer) 2')
  terminal.type("eval \"return {1,{2,redis.call('get','none')}}\" 0\r")
  await terminal.see(['1) (integer) 1', '2) 1) (integer) 2', '   2) (nil)'].join('\r\n'))
  terminal.type('lpush "a b" x\r')
  await terminal.see('(error) WRONGTYPE')
  terminal.type('auth app secret-word\r')
  await terminal.see('Whom you act for is settled')
  terminal.type('monitor\r')
  await terminal.see('not to be seen')
  terminal.type('select 3\r')
  await terminal.see('redis[3]> ')
  const inputs = async () => (await repl.commands(terminal)).map(({ input, risk }) => `${risk} ${input}`)
  await expect.poll(inputs).toContain('0 select 3')
  expect(await inputs()).toEqual(expect.arrayContaining(['0 set "a b" "你\\x00"', '5 monitor']))
  expect((await inputs()).join()).not.toContain('secret-word')
})

test('Ctrl-C breaks off a command that waits, and the next one is answered', async () => {
  const terminal = await repl.opened()
  terminal.type('blpop nothing 0\r')
  const clients = async () => (await fixture.cli(['info', 'clients'], { direct: true })).stdout
  await expect.poll(clients).toContain('blocked_clients:1')
  terminal.type('\x03')
  await terminal.see('broken off with its connection')
  await terminal.see(PROMPT)
  terminal.type('ping\r')
  await terminal.see('PONG')
  expect(await clients()).toContain('blocked_clients:0')
})

async function keyBrowser(options: Parameters<typeof openWorkbench>[2] = {}): Promise<WorkbenchPage> {
  const page = await openWorkbench(fixture, 'redis', options)
  pages.push(page)
  return page
}
/** All keys, page by page, and how many pages there were. */
async function allKeys(page: WorkbenchPage, how: { pattern?: string; type?: string } = {}) {
  const keys: unknown[] = []
  let cursor = '0'
  let count = 0
  do {
    const answer = await page.ask({ about: 'keys', pattern: '', type: '', ...how, cursor })
    keys.push(...(answer.keys as unknown[]))
    cursor = String(answer.next)
    count++
  } while (cursor !== '0')
  return { keys, count }
}
const elements = (page: WorkbenchPage, key: unknown, type: string, from = '') =>
  page.ask({ about: 'elements', key, type, from })

test('[B7.29] many keys are looked at page by page, each look a recorded command that holds nobody up; a pattern and a type narrow them', async () => {
  await fixture.redis.ask('eval', "for n = 1, 5000 do redis.call('set', 'many:' .. n, n) end", '0')
  await fixture.redis.ask('rpush', 'queue:一', 'a', 'b')
  const page = await keyBrowser()
  expect(page.start()).toMatchObject({ dialect: 'redis', database: '0', locked: false })
  const first = await page.ask({ about: 'keys', cursor: '0', pattern: '', type: '' })
  expect(Number(first.total)).toBe(5001)
  expect((first.keys as unknown[]).length).toBeGreaterThanOrEqual(500)
  const { keys, count } = await allKeys(page)
  expect(new Set(keys.filter((key) => String(key).startsWith('many:'))).size).toBe(5000)
  expect(count).toBeGreaterThan(3)
  expect((await allKeys(page, { pattern: 'queue:*' })).keys).toEqual(['queue:一'])
  expect((await allKeys(page, { pattern: 'queue:*', type: 'hash' })).keys).toEqual([])
  const inputs = async () => (await repl.commands(page.terminal)).map(({ input }) => input)
  await expect
    .poll(inputs)
    .toEqual(expect.arrayContaining(['SCAN 0 COUNT 1000', 'SCAN 0 MATCH queue:* COUNT 1000 TYPE hash']))
  expect((await inputs()).join()).not.toContain('KEYS')
})

test('the content of a key of each kind is read in pages, whatever bytes its name and values have', async () => {
  const { redis } = fixture
  await redis.ask('eval', "redis.call('set', 'bin\\0\\255', 'a\\0\\255')", '0')
  await redis.ask(
    ...['eval', "redis.call('set', KEYS[1], string.rep(ARGV[1], 50000), 'px', 60000000)", '1', 'long "text"', '字'],
  )
  await redis.ask(
    'eval',
    "for n = 1, 250 do redis.call('rpush', 'list', n) redis.call('zadd', 'zset', n, 'm' .. n) redis.call('xadd', 'stream', n .. '-1', 'f', n) end",
    '0',
  )
  await redis.ask(
    'eval',
    "for n = 1, 2000 do redis.call('hset', 'hash', 'f' .. n, string.rep('v', 100)) redis.call('sadd', 'set', 'm' .. n) end",
    '0',
  )
  const page = await keyBrowser()
  const { keys } = await allKeys(page)
  expect(keys).toContainEqual(['62696e00ff'])
  expect((await elements(page, ['62696e00ff'], 'string')).rows).toEqual([['0x6100ff']])
  const text = await page.ask({ about: 'key', key: 'long "text"' })
  expect(text).toMatchObject({ type: 'string', length: 150_000 })
  expect(Number(text.expiresIn)).toBeGreaterThan(50_000_000)
  expect(Number(text.bytes)).toBeGreaterThan(150_000)
  const whole = async (key: string, type: string) => {
    const rows: string[][] = []
    let from = ''
    do {
      const answer = await elements(page, key, type, from)
      rows.push(...answer.rows)
      from = String(answer.next)
    } while (from)
    return rows
  }
  expect((await whole('long "text"', 'string')).join('')).toBe('字'.repeat(50_000))
  expect((await whole('list', 'list')).map(([at, value]) => [Number(at), Number(value)])).toEqual(
    Array.from({ length: 250 }, (_, at) => [at, at + 1]),
  )
  expect((await whole('zset', 'zset')).at(-1)).toEqual(['249', 'm250', '250'])
  expect((await whole('stream', 'stream')).at(-1)).toEqual(['250-1', '[["f","250"]]'])
  expect((await elements(page, 'hash', 'hash')).rows.length).toBeLessThan(2000)
  expect(new Set((await whole('hash', 'hash')).map(([field]) => field)).size).toBe(2000)
  expect(new Set((await whole('set', 'set')).map(([member]) => member)).size).toBe(2000)
  expect((await elements(page, 'list', 'hash')).error).toContain('WRONGTYPE')
  expect(await page.ask({ about: 'key', key: 'gone' })).toMatchObject({ type: 'none' })
})

test('[A2.51] a rule denies what the page asks as it denies any client, a locked session answers nothing, and a terminated one ends', async () => {
  const remove = await repl.rule('hgetall|hscan', { action: 0 })
  await fixture.redis.ask('hset', 'secret', 'field', 'value')
  const page = await keyBrowser()
  expect((await elements(page, 'secret', 'hash')).error).toContain('forbidden')
  expect(await page.ask({ about: 'key', key: 'secret' })).toMatchObject({ type: 'hash', length: 1 })
  const rows = async () => (await repl.commands(page.terminal)).map(({ input, risk }) => `${risk} ${input}`)
  await expect.poll(rows).toContain('5 HSCAN secret 0 COUNT 100')
  // A malformed question is refused; the next one is answered, and nothing is gone.
  page.terminal.say('WORKBENCH_ASK', {
    question: 99,
    ask: { about: 'keys', cursor: '0; flushall', pattern: '', type: '' },
  })
  expect((await page.ask({ about: 'keys', cursor: '0', pattern: '', type: '' })).keys).toEqual(['secret'])
  const answered = page.terminal.messages.filter(({ type }) => type === 'WORKBENCH_REPLY').map(({ data }) => data)
  expect(answered.map((data) => JSON.parse(data))).toContainEqual({ question: 99, error: 'This can not be asked' })
  const { id } = page.terminal.session as Record<string, string>
  const auditor = await fixture.server.aPerson('locker', { orgRoles: ['Auditor'] })
  expect((await auditor.post(`/api/v1/terminal/sessions/${id}/lock/`, {})).status).toBe(200)
  await page.until(() =>
    page.terminal.messages.some(({ type, data }) => type === 'TERMINAL_LOCK' && data.includes('true')),
  )
  expect((await page.ask({ about: 'keys', cursor: '0', pattern: '', type: '' })).error).toMatch(/locked/)
  await fixture.terminate(id as string)
  await page.terminal.closed
  await expect.poll(() => fixture.isFinished(id as string)).toBe(true)
  await remove()
})

test('a malformed message to a workbench is refused, whatever it is called and carries, and reaches no server', async () => {
  const page = await keyBrowser()
  const { terminal } = page
  const before = terminal.messages.length
  for (const type of Object.values(PROTOCOLS).flatMap(({ fromClient }) => Object.keys(fromClient)))
    if (!['CLOSE', 'PING'].includes(type)) for (const body of NONSENSE) terminal.say(type, body)
  terminal.say('WORKBENCH_RUN', { run: 1, text: 'flushall' })
  terminal.say('WORKBENCH_ASK', { question: 7, ask: { about: 'schemas' } })
  await page.until(() => terminal.messages.length > before)
  // Messages with a number have an answer, and no others.
  expect(terminal.messages.slice(before).map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
    ['WORKBENCH_REPLY', { question: 7, error: 'This can not be asked' }],
  ])
  expect(await page.ask({ about: 'key', key: 'none' })).toMatchObject({ type: 'none' })
})
