import { afterEach, expect, test } from 'vitest'
import { keepTabs, keptTabs } from './kept-tabs.ts'
import { changeTabs, NO_TABS, type Tabs } from './tabs.ts'

afterEach(() => sessionStorage.clear())

const connectionTo = (name: string) => ({
  targetId: name,
  targetName: name,
  systemUserId: 'su',
  systemUserName: 'deploy',
  protocol: 'ssh',
})

/** Terminals with a running session each, named like their target. */
const running = (...names: string[]): Tabs =>
  names.reduce<Tabs>(
    (tabs, name) =>
      changeTabs(changeTabs(tabs, { do: 'open', connection: connectionTo(name), name }), {
        do: 'session',
        id: tabs.nextId,
        attempt: 0,
        sessionId: `session of ${name}`,
      }),
    NO_TABS,
  )

/** Name of the tab at each place, as they are kept; undefined: an empty one. */
function keptPlaces(tabs: Tabs) {
  keepTabs('ann', tabs)
  const kept = keptTabs('ann')
  return kept.split?.map((at) => (at === null ? undefined : kept.tabs[at]?.name))
}

test('a page that is loaded again has its terminals where they were, and empty places', () => {
  const two = changeTabs(running('web-1', 'web-2', 'web-3'), { do: 'layout', layout: 4 })
  expect(keptPlaces(two)).toEqual(['web-3', 'web-1', 'web-2', undefined])
  expect(keptTabs('ann').tabs.map(({ sessionId, active }) => [sessionId, active])).toEqual([
    ['session of web-1', false],
    ['session of web-2', false],
    ['session of web-3', true],
  ])
  expect(keptTabs('bob').tabs).toEqual([])
})

test('a session that has ended keeps its place beside others, and is forgotten alone', () => {
  const ended = (tabs: Tabs) => changeTabs(tabs, { do: 'state', id: 1, attempt: 0, state: 'disconnected' })
  const split = ended(changeTabs(running('web-1', 'web-2'), { do: 'layout', layout: 2 }))
  expect(keptPlaces(split)).toEqual(['web-2', 'web-1'])
  expect(keptTabs('ann').tabs.map(({ name, sessionId }) => [name, sessionId])).toEqual([
    ['web-1', undefined],
    ['web-2', 'session of web-2'],
  ])
  expect(keptPlaces(ended(running('web-1', 'web-2')))).toBeUndefined()
  expect(keptTabs('ann').tabs.map(({ name }) => name)).toEqual(['web-2'])
})

test('a tab that was not gone on with opens a new session once it is asked to', () => {
  const idle = changeTabs(NO_TABS, { do: 'open', connection: connectionTo('web-1'), name: 'web-1', isIdle: true })
  expect(idle.list).toMatchObject([{ state: 'disconnected', isIdle: true }])
  expect(changeTabs(idle, { do: 'reconnect', id: 1 }).list).toMatchObject([
    { state: 'connecting', attempt: 1, isIdle: false, resume: undefined },
  ])
})

test('saved tabs that can’t be read are none', () => {
  keepTabs('ann', running('web-1'))
  const [key = ''] = Object.keys(sessionStorage)
  for (const text of ['{', '[1]', '{"tabs":[{}]}', '{"tabs":3}', 'null']) {
    sessionStorage.setItem(key, text)
    expect(keptTabs('ann').tabs, text).toEqual([])
  }
})
