/**
 * The open tabs as a value, and everything that can be done to them (contract web-terminal, tabs).
 */
import { msg } from '../../lib/i18n.ts'
import { type Connection, connectionOf } from '../connect/connection.ts'
import { type Layout, type Places, settled, withLayout } from './split.ts'

export type TabState = 'connecting' | 'connected' | 'disconnected'

export interface Tab extends Connection {
  /** Own number of the tab; two tabs of one asset are two sessions. */
  id: number
  name: string
  state: TabState
  /** Counts up with every reconnect: each attempt is a session of its own. */
  attempt: number
  /** The running session, once the server has made it. */
  sessionId?: string | undefined
  /** The session that this attempt goes on with. */
  resume?: string | undefined
  /** Nothing was opened yet: the person is asked first. */
  isIdle?: boolean
}

export interface Tabs {
  list: readonly Tab[]
  active: number | undefined
  nextId: number
  /** Several are seen beside each other (`split.ts`); undefined: the active one alone. */
  split?: Places | undefined
  /** The place among them where the person was last. */
  place?: number | undefined
  /** Ids of those that a broadcast leaves out. */
  leftOut?: readonly number[]
}

export type TabAction =
  | { do: 'open'; connection: Connection; name: string; resume?: string | undefined; isIdle?: boolean }
  | { do: 'clone' | 'reconnect' | 'activate' | 'close' | 'closeOthers' | 'closeLeft' | 'closeRight'; id: number }
  | { do: 'closeAll' }
  | { do: 'layout'; layout: Layout }
  /** The person is at an empty place: what is opened next comes there. */
  | { do: 'place'; place: number }
  /** Whether a broadcast goes to these. */
  | { do: 'receive'; ids: readonly number[]; isOn: boolean }
  | { do: 'rename'; id: number; name: string }
  | { do: 'state'; id: number; attempt: number; state: TabState }
  /** `undefined`: it is over. */
  | { do: 'session'; id: number; attempt: number; sessionId: string | undefined }

export const NO_TABS: Tabs = { list: [], active: undefined, nextId: 1 }

/** The tabs after an action. Actions on tabs that are gone change nothing. */
export const changeTabs = (tabs: Tabs, action: TabAction): Tabs => settled(changedBy(tabs, action), tabs)

function changedBy(tabs: Tabs, action: TabAction): Tabs {
  if (action.do === 'layout') return withLayout(tabs, action.layout)
  if (action.do === 'place') return tabs.place === action.place ? tabs : { ...tabs, place: action.place }
  if (action.do === 'receive') return { ...tabs, leftOut: receiversWithout(tabs, action) }
  if (action.do === 'open') return opened(tabs, action.connection, action.name, action)
  if (action.do === 'closeAll') return { ...tabs, list: [], active: undefined }
  const at = tabs.list.findIndex(({ id }) => id === action.id)
  const tab = tabs.list[at]
  if (!tab) return tabs
  switch (action.do) {
    case 'activate':
      return { ...tabs, active: tab.id }
    case 'clone':
      return opened(tabs, tab, tab.name)
    case 'reconnect':
      // One that runs elsewhere by now is taken back; one that is still on screen is given up for a
      // new one.
      return {
        ...changed(tabs, {
          ...tab,
          state: 'connecting',
          attempt: tab.attempt + 1,
          isIdle: false,
          sessionId: undefined,
          resume: tab.state === 'disconnected' ? tab.sessionId : undefined,
        }),
        active: tab.id,
      }
    case 'rename':
      return action.name.trim() === '' ? tabs : changed(tabs, { ...tab, name: action.name.trim() })
    case 'state':
      // News of an earlier attempt may come after the next one has begun.
      return action.attempt === tab.attempt && action.state !== tab.state
        ? changed(tabs, { ...tab, state: action.state })
        : tabs
    case 'session':
      return action.attempt === tab.attempt ? changed(tabs, { ...tab, sessionId: action.sessionId }) : tabs
    case 'close':
      return kept(tabs, (_, index) => index !== at)
    case 'closeOthers':
      return kept(tabs, (_, index) => index === at)
    case 'closeLeft':
      return kept(tabs, (_, index) => index >= at)
    case 'closeRight':
      return kept(tabs, (_, index) => index <= at)
  }
}

function opened(
  tabs: Tabs,
  of: Connection,
  name: string,
  { resume, isIdle = false }: { resume?: string | undefined; isIdle?: boolean } = {},
): Tabs {
  const tab: Tab = {
    ...connectionOf(of),
    id: tabs.nextId,
    name: ownName(tabs, name),
    state: isIdle ? 'disconnected' : 'connecting',
    attempt: 0,
    resume,
    sessionId: resume,
    isIdle,
  }
  return { ...tabs, list: [...tabs.list, tab], active: tab.id, nextId: tabs.nextId + 1 }
}

/** With a number behind it where another tab has the name. */
function ownName({ list }: Tabs, name: string): string {
  const taken = new Set(list.map((tab) => tab.name))
  if (!taken.has(name)) return name
  const base = name.replace(/ \(\d+\)$/, '')
  let number = 2
  while (taken.has(`${base} (${number})`)) number++
  return `${base} (${number})`
}

function changed(tabs: Tabs, tab: Tab): Tabs {
  return { ...tabs, list: tabs.list.map((other) => (other.id === tab.id ? tab : other)) }
}

/**
 * Drops tabs; when the active one goes, the next tab becomes active, or the previous when it was
 * the last.
 */
function kept(tabs: Tabs, keep: (tab: Tab, index: number) => boolean): Tabs {
  const list = tabs.list.filter(keep)
  if (list.some(({ id }) => id === tabs.active)) return { ...tabs, list }
  const at = tabs.list.findIndex(({ id }) => id === tabs.active)
  const next = tabs.list.slice(at + 1).find((tab) => list.includes(tab)) ?? list.at(-1)
  return { ...tabs, list, active: next?.id }
}

export interface TabMenuEntry {
  action: Exclude<
    TabAction['do'],
    'open' | 'activate' | 'rename' | 'state' | 'session' | 'layout' | 'place' | 'receive'
  >
  /** English text, translated where it is shown. */
  text: string
}

/** The entries of a tab's menu, in order, each under its condition. */
export function tabMenu(tabs: Tabs, id: number): TabMenuEntry[] {
  const at = tabs.list.findIndex((tab) => tab.id === id)
  const several = tabs.list.length > 1
  return [
    { action: 'clone', text: msg('Duplicate') },
    { action: 'reconnect', text: msg('Reconnect') },
    { action: 'close', text: msg('Close this tab') },
    ...(several
      ? ([
          { action: 'closeAll', text: msg('Close all') },
          { action: 'closeOthers', text: msg('Close others') },
        ] as const)
      : []),
    ...(at > 0 ? ([{ action: 'closeLeft', text: msg('Close tabs to the left') }] as const) : []),
    ...(at < tabs.list.length - 1 ? ([{ action: 'closeRight', text: msg('Close tabs to the right') }] as const) : []),
  ]
}

const BATCH_PROTOCOL = 'ssh'

/** Tabs that a broadcast can go to: connected terminals with protocol ssh, shown or hidden. */
export const batchCandidates = ({ list }: Tabs): readonly Tab[] =>
  list.filter(({ protocol, state }) => protocol === BATCH_PROTOCOL && state === 'connected')

/** Those of them that it goes to: all, unless somebody has left some out. */
export const batchTargets = (tabs: Tabs): readonly Tab[] =>
  batchCandidates(tabs).filter(({ id }) => !tabs.leftOut?.includes(id))

function receiversWithout({ leftOut = [] }: Tabs, { ids, isOn }: { ids: readonly number[]; isOn: boolean }): number[] {
  const others = leftOut.filter((id) => !ids.includes(id))
  return isOn ? others : [...others, ...ids]
}

/** Whether the tab that is shown is one of these, or was: under others the bar could do nothing to what is seen. */
export const isBatched = ({ list, active }: Tabs): boolean =>
  list.some(({ id, protocol }) => id === active && protocol === BATCH_PROTOCOL)
