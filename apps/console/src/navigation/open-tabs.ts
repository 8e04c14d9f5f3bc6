/**
 * The pages a person has open, as tabs above the page: kept for the browser session (A4.12 to
 * A4.15).
 */
import { useSyncExternalStore } from 'react'
import { changeSignal } from '../lib/hooks/shared-value.ts'
import { session } from '../session/session.ts'

export interface OpenTab {
  /** Path without query: what tells tabs apart. */
  path: string
  /** Path with the query it had last, so that a list comes back as it was left. */
  address: string
  title: string
  /** Cannot be closed. */
  affix?: boolean
  /** Counted up by Refresh, which draws the page again. */
  round?: number
}

/** More would neither fit nor be found again; the oldest goes. */
export const MAX_TABS = 20

/** Adds a tab only when its path is new (A4.13); else its address is brought up to date. */
export function withTab(tabs: readonly OpenTab[], tab: OpenTab): readonly OpenTab[] {
  const known = tabs.find(({ path }) => path === tab.path)
  if (known?.address === tab.address) return tabs
  if (known) return tabs.map((one) => (one === known ? { ...one, address: tab.address } : one))
  const oldest = tabs.length >= MAX_TABS ? tabs.find(({ affix }) => !affix) : undefined
  return [...tabs.filter((one) => one !== oldest), tab]
}

/** Affix tabs survive every way of closing (A4.15). */
export function withoutTab(tabs: readonly OpenTab[], path: string): readonly OpenTab[] {
  return tabs.filter((tab) => tab.affix || tab.path !== path)
}

export function onlyTab(tabs: readonly OpenTab[], path: string): readonly OpenTab[] {
  return tabs.filter((tab) => tab.affix || tab.path === path)
}

export function onlyAffix(tabs: readonly OpenTab[]): readonly OpenTab[] {
  return tabs.filter(({ affix }) => affix)
}

const changes = changeSignal()
let current: { key: string; tabs: readonly OpenTab[] } = { key: '', tabs: [] }

/** Other people, organizations and roles have other pages. */
function storageKey(): string {
  const { profile, org, role } = session()
  return ['open_tabs', profile.username, org?.id ?? '', role].join('_')
}

function stored(key: string): readonly OpenTab[] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    const isTab = (tab: unknown): tab is OpenTab =>
      typeof tab === 'object' &&
      tab !== null &&
      ['path', 'address', 'title'].every((name) => typeof Reflect.get(tab, name) === 'string')
    return Array.isArray(value) ? value.filter(isTab).slice(-MAX_TABS) : []
  } catch {
    return []
  }
}

function openTabs(): readonly OpenTab[] {
  const key = storageKey()
  if (current.key !== key) current = { key, tabs: stored(key) }
  return current.tabs
}

/** Changes the tabs by one of the functions above, and remembers them. */
export function changeTabs(change: (tabs: readonly OpenTab[]) => readonly OpenTab[]): void {
  const tabs = change(openTabs())
  if (tabs === current.tabs) return
  current = { ...current, tabs }
  sessionStorage.setItem(current.key, JSON.stringify(tabs.map(({ round: _, ...tab }) => tab)))
  changes.notify()
}

/** A page gives its tab the title it has itself, such as that of its object. */
export function nameTab(path: string, title: string): void {
  changeTabs((tabs) =>
    tabs.some((tab) => tab.path === path && tab.title !== title)
      ? tabs.map((tab) => (tab.path === path ? { ...tab, title } : tab))
      : tabs,
  )
}

const ended = new Set<string>()

/** Nothing more is to be done on a page (saved, deleted): its tab goes when the page is left. */
export function endTab(path: string): void {
  ended.add(path)
}

/** The page on screen has a tab; tabs that ended and are no longer on screen have none. */
export function showTab(tab: OpenTab, affix: readonly OpenTab[]): void {
  changeTabs((tabs) => {
    const started = affix.some(({ path }) => !tabs.some((one) => one.path === path))
      ? [...affix, ...tabs.filter(({ path }) => !affix.some((one) => one.path === path))]
      : tabs
    const going = started.filter(({ path }) => ended.has(path) && path !== tab.path).map(({ path }) => path)
    for (const path of going) ended.delete(path)
    return withTab(going.length > 0 ? started.filter(({ path }) => !going.includes(path)) : started, tab)
  })
}

/** Draws the page of a tab again. */
export function refreshTab(path: string): void {
  changeTabs((tabs) => tabs.map((tab) => (tab.path === path ? { ...tab, round: (tab.round ?? 0) + 1 } : tab)))
}

export function useOpenTabs(): readonly OpenTab[] {
  return useSyncExternalStore(changes.subscribe, openTabs)
}

/** Only for tests: as in another page load. */
export function forgetTabs(): void {
  current = { key: '', tabs: [] }
}
