import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../test/server.ts'
import type { Terminal } from './listeners/web/terminal-fixture.ts'
import { openTwoNodes, type TwoNodes } from './two-nodes-fixture.ts'

let nodes: TwoNodes
/** Somebody without any permission of their own. */
let guest: Caller

beforeAll(async () => {
  nodes = await openTwoNodes()
  guest = await nodes.server.aPerson('guest')
})
afterAll(() => nodes?.close())

const idOf = (terminal: Terminal) => terminal.session?.id ?? ''
const latest = (terminal: Terminal, type: string) => terminal.messages.findLast((message) => message.type === type)
const at = (url: string, path: string, caller: Caller, init: RequestInit = {}) =>
  fetch(url + path, { ...init, headers: { authorization: `Bearer ${caller.token}`, cookie: 'django_language=en' } })

async function atPrompt(): Promise<Terminal> {
  const terminal = await nodes.open(nodes.person, { client: 'page-1' })
  await terminal.see(/[#$] /)
  return terminal
}

async function end(terminal: Terminal): Promise<void> {
  terminal.say('CLOSE')
  await terminal.closed
}

test('a session is watched from the node that does not carry it, byte for byte', async () => {
  const owner = await atPrompt()
  const watcher = await nodes.openOther(nodes.server.admin, { type: 'shareroom', target: idOf(owner) })
  await watcher.see(/[#$] /)
  const before = watcher.output().length
  const ownBefore = owner.output().length
  owner.type('seq 20000 | while read n; do printf "\\033[3%dm%s " $((n%8)) $n; done; echo -$((40+2))-END\r')
  await owner.see('-42-END')
  await watcher.see('-42-END')
  const length = Math.min(owner.output().length - ownBefore, watcher.output().length - before)
  expect(length).toBeGreaterThan(100_000)
  expect(
    watcher
      .output()
      .subarray(before, before + length)
      .equals(owner.output().subarray(ownBefore, ownBefore + length)),
  ).toBe(true)
  await end(owner)
  await watcher.closed
})

test('a person who may not watch is refused by the node that carries the session, in its words', async () => {
  const owner = await atPrompt()
  const stranger = await nodes.openOther(guest, { type: 'shareroom', target: idOf(owner) })
  await stranger.closed
  expect(stranger.errors).toEqual(['This session cannot be watched: it is over, or you may not'])
  await end(owner)
})

test('a guest joins by link at the other node and types; the record has their own address, whatever they say', async () => {
  const owner = await atPrompt()
  owner.say('TERMINAL_SHARE', { session_id: idOf(owner), expired: 10, action_permission: 'writable' })
  await expect.poll(() => latest(owner, 'TERMINAL_SHARE')).toBeDefined()
  const { share_id, code } = JSON.parse(latest(owner, 'TERMINAL_SHARE')?.data ?? '{}')
  // Headers that only another node, or a trusted proxy, may set.
  const forged = { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6', 'x-forwarded-host': 'elsewhere' }
  const signIn = () => ({ authorization: `Bearer ${guest.token}`, ...forged })
  const joined = await nodes.openOther(guest, { type: 'share', target: share_id, code, signIn })
  await owner.see('guest of test (guest) has joined this session')
  joined.type('echo by-guest-$((2+2))\r')
  await owner.see('by-guest-4\r\n')
  await joined.see('by-guest-4\r\n')
  joined.close()
  await owner.see('has left this session')
  const { body } = await nodes.server.admin.get(`/api/v1/terminal/session-join-records/?sharing=${share_id}`)
  expect(body).toMatchObject([{ joiner: guest.id, is_success: true, remote_addr: '127.0.0.1' }])
  await end(owner)
})

test('after a broken line the browser goes on at the other node, which lists the session and ends it', async () => {
  const owner = await atPrompt()
  owner.type('kept=for-me; echo READY-$$\r')
  const shell = /READY-(\d+)\r/.exec(await owner.see(/READY-\d+\r/))?.[1]
  const id = idOf(owner)
  owner.cut()
  const mine = async () =>
    (await (await at(nodes.other.url, '/koko/sessions/', nodes.person)).json()) as { is_waiting: boolean }[]
  await expect.poll(mine).toMatchObject([{ id, is_waiting: true, asset: 'web-1(127.0.0.1)' }])
  const back = await nodes.openOther(nodes.person, { type: 'resume', target: id, client: 'page-1' })
  await back.see('READY')
  back.type('echo "still $kept $$"\r')
  await back.see(`still for-me ${shell}\r\n`)
  back.cut()
  await expect.poll(async () => (await mine())[0]?.is_waiting).toBe(true)
  expect((await at(nodes.other.url, `/koko/sessions/${id}/`, guest, { method: 'DELETE' })).status).toBe(404)
  expect((await at(nodes.other.url, `/koko/sessions/${id}/`, nodes.person, { method: 'DELETE' })).status).toBe(204)
  await expect.poll(mine).toEqual([])
})

test('a session is locked, unlocked and ended from the other node', async () => {
  const owner = await atPrompt()
  const id = idOf(owner)
  const { admin } = nodes.server
  const order = (word: string) =>
    at(nodes.other.url, `/api/v1/terminal/sessions/${id}/${word}/`, admin, { method: 'POST' })
  const locked = (is: boolean) =>
    expect.poll(() => JSON.parse(latest(owner, 'TERMINAL_LOCK')?.data ?? '{}').locked).toBe(is)
  expect((await order('lock')).status).toBe(200)
  await locked(true)
  owner.type('echo while-locked-$((1+1))\r')
  expect((await order('unlock')).status).toBe(200)
  await locked(false)
  owner.type('echo again-$((1+1))\r')
  await owner.see('again-2\r\n')
  expect(owner.text()).not.toContain('while-locked-2')
  const killed = await nodes.other.call('POST', '/api/v1/terminal/tasks/kill-session/', {
    body: [id],
    headers: { authorization: `Bearer ${admin.token}` },
  })
  expect(killed.body).toEqual({ ok: [id] })
  await owner.closed
  expect(owner.text()).toContain('The session was terminated by')
})
