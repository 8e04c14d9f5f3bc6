import { expect, test } from 'vitest'
import type { Connection } from '../connect/connection.ts'
import { placesOf } from './split.ts'
import { batchTargets, changeTabs, isBatched, NO_TABS, type TabAction, type Tabs, tabMenu } from './tabs.ts'

const web: Connection = {
  targetId: 'a1',
  targetName: 'web-1',
  systemUserId: 's1',
  systemUserName: 'root',
  protocol: 'ssh',
}

function tabsAfter(...actions: TabAction[]): Tabs {
  return actions.reduce(changeTabs, NO_TABS)
}
const open = (name: string): TabAction => ({ do: 'open', connection: web, name })
const names = (tabs: Tabs) => tabs.list.map(({ name }) => name)
const three = [open('one'), open('two'), open('three')]

test('[A2.67] a new tab comes last and becomes active; duplicates are sessions of their own', () => {
  const tabs = tabsAfter(open('web-1'), open('web-1'))
  expect(names(tabs)).toEqual(['web-1', 'web-1 (2)'])
  expect(tabs.active).toBe(tabs.list[1]?.id)
  expect(tabs.list[0]?.id).not.toBe(tabs.list[1]?.id)
})

test('[A2.67] a clone is a new tab with the same target and system user, begun afresh', () => {
  const tabs = tabsAfter(open('web-1'), { do: 'reconnect', id: 1 }, { do: 'clone', id: 1 })
  expect(tabs.list[1]).toMatchObject({ ...web, name: 'web-1 (2)', attempt: 0, state: 'connecting' })
  expect(tabs.active).toBe(2)
})

test('a tab whose session runs elsewhere takes it back when it reconnects; every other begins a new one', () => {
  const one = [open('web-1'), { do: 'session', id: 1, attempt: 0, sessionId: 's1' } as TabAction]
  const away = tabsAfter(...one, { do: 'state', id: 1, attempt: 0, state: 'disconnected' }, { do: 'reconnect', id: 1 })
  expect(away.list[0]).toMatchObject({ resume: 's1', attempt: 1 })
  const ended = [
    { do: 'session', id: 1, attempt: 0, sessionId: undefined } as TabAction,
    { do: 'reconnect', id: 1 } as TabAction,
  ]
  expect(tabsAfter(...one, ...ended).list[0]?.resume).toBeUndefined()
  const stuck = tabsAfter(...one, { do: 'state', id: 1, attempt: 0, state: 'connected' }, { do: 'reconnect', id: 1 })
  expect(stuck.list[0]?.resume).toBeUndefined()
  // News of the attempt before are not believed.
  expect(changeTabs(away, { do: 'session', id: 1, attempt: 0, sessionId: 'old' }).list[0]?.sessionId).toBeUndefined()
})

test('[A2.67] reconnecting counts the tab as connecting again, and late news of the old session are not believed', () => {
  const again = tabsAfter(
    open('web-1'),
    { do: 'state', id: 1, attempt: 0, state: 'disconnected' },
    { do: 'reconnect', id: 1 },
  )
  expect(again.list[0]).toMatchObject({ attempt: 1, state: 'connecting' })
  expect(changeTabs(again, { do: 'state', id: 1, attempt: 0, state: 'disconnected' }).list[0]?.state).toBe('connecting')
  expect(changeTabs(again, { do: 'state', id: 1, attempt: 1, state: 'connected' }).list[0]?.state).toBe('connected')
})

test('[A2.67] closing the active tab shows the next one, or the previous when it was the last', () => {
  expect(tabsAfter(...three, { do: 'activate', id: 2 }, { do: 'close', id: 2 }).active).toBe(3)
  expect(tabsAfter(...three, { do: 'close', id: 3 }).active).toBe(2)
  expect(tabsAfter(open('one'), { do: 'close', id: 1 }).active).toBeUndefined()
  expect(tabsAfter(...three, { do: 'close', id: 1 }).active).toBe(3)
})

test('[A2.67] closing others, left, right and all', () => {
  expect(names(tabsAfter(...three, { do: 'closeOthers', id: 2 }))).toEqual(['two'])
  expect(tabsAfter(...three, { do: 'closeOthers', id: 2 }).active).toBe(2)
  expect(names(tabsAfter(...three, { do: 'closeLeft', id: 2 }))).toEqual(['two', 'three'])
  expect(names(tabsAfter(...three, { do: 'closeRight', id: 2 }))).toEqual(['one', 'two'])
  expect(tabsAfter(...three, { do: 'closeRight', id: 2 }).active).toBe(2)
  expect(tabsAfter(...three, { do: 'closeAll' })).toMatchObject({ list: [], active: undefined })
})

test('[A2.67] a name that is only spaces is not taken', () => {
  expect(names(tabsAfter(open('one'), { do: 'rename', id: 1, name: ' db master ' }))).toEqual(['db master'])
  expect(names(tabsAfter(open('one'), { do: 'rename', id: 1, name: '  ' }))).toEqual(['one'])
})

test('[A2.67] the menu offers only what there is something to do for', () => {
  const actions = (tabs: Tabs, id: number) => tabMenu(tabs, id).map(({ action }) => action)
  expect(actions(tabsAfter(open('one')), 1)).toEqual(['clone', 'reconnect', 'close'])
  expect(actions(tabsAfter(...three), 1)).toEqual([
    'clone',
    'reconnect',
    'close',
    'closeAll',
    'closeOthers',
    'closeRight',
  ])
  expect(actions(tabsAfter(...three), 2)).toContain('closeLeft')
  expect(actions(tabsAfter(...three), 3)).not.toContain('closeRight')
})

test('[A1.16] a batch command goes to connected ssh terminals only', () => {
  const tabs = tabsAfter(
    open('connected'),
    open('connecting'),
    { do: 'open', connection: { ...web, protocol: 'telnet' }, name: 'telnet' },
    { do: 'state', id: 1, attempt: 0, state: 'connected' },
    { do: 'state', id: 3, attempt: 0, state: 'connected' },
  )
  expect(batchTargets(tabs).map(({ name }) => name)).toEqual(['connected'])
  // The bar is under these alone, though it writes to hidden ones as well.
  const shown = (id: number) => isBatched(changeTabs(tabs, { do: 'activate', id }))
  expect([shown(1), shown(2), shown(3), isBatched(NO_TABS)]).toEqual([true, true, false, false])
})

const layout = (many: 1 | 2 | 4): TabAction => ({ do: 'layout', layout: many })

test('two places show the active tab first and one beside it; another tab takes the place of the active one', () => {
  const tabs = tabsAfter(...three, layout(2))
  expect(placesOf(tabs)).toEqual([3, 1])
  expect(placesOf(changeTabs(tabs, { do: 'activate', id: 1 }))).toEqual([3, 1])
  const moved = changeTabs(changeTabs(tabs, { do: 'activate', id: 1 }), { do: 'activate', id: 2 })
  expect([placesOf(moved), moved.active]).toEqual([[3, 2], 2])
  expect(placesOf(changeTabs(moved, layout(4)))).toEqual([3, 2, 1, undefined])
  expect(placesOf(changeTabs(moved, layout(1)))).toEqual([2])
})

test('a new tab comes into the empty place where the person is, or into the first one', () => {
  const four = tabsAfter(open('one'), layout(4))
  expect(placesOf(four)).toEqual([1, undefined, undefined, undefined])
  expect(placesOf(changeTabs(four, open('two')))).toEqual([1, 2, undefined, undefined])
  const chosen = changeTabs(changeTabs(four, { do: 'place', place: 3 }), open('two'))
  expect(placesOf(chosen)).toEqual([1, undefined, undefined, 2])
})

test('a closed tab leaves its place empty, and the last one ends the split', () => {
  const tabs = changeTabs(tabsAfter(...three, layout(2)), { do: 'close', id: 1 })
  expect(placesOf(tabs)).toEqual([3, undefined])
  expect(changeTabs(tabs, { do: 'closeAll' }).split).toBeUndefined()
})

test('a broadcast goes to all connected SSH terminals but those that are left out', () => {
  const connected = (id: number): TabAction => ({ do: 'state', id, attempt: 0, state: 'connected' })
  const tabs = tabsAfter(...three, connected(1), connected(2), connected(3))
  const without = changeTabs(tabs, { do: 'receive', ids: [1, 3], isOn: false })
  expect(batchTargets(without).map(({ id }) => id)).toEqual([2])
  expect(batchTargets(changeTabs(without, { do: 'receive', ids: [3], isOn: true })).map(({ id }) => id)).toEqual([2, 3])
})
