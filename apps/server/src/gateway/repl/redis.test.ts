/** Redis in a web terminal, with a real server at the other end. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openRedisFixture, type RedisFixture } from '../listeners/database/redis-fixture.ts'
import { type ReplFixture, replFixture } from './repl-fixture.ts'

const PROMPT = 'redis[0]> '

let fixture: RedisFixture
let repl: ReplFixture
beforeAll(async () => {
  fixture = await openRedisFixture()
  repl = replFixture(fixture, { type: 'redis', prompt: PROMPT })
})
afterAll(() => fixture?.close())
afterEach(() => repl.closeTerminals())

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
