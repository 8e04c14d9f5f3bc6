import { CheckIcon, ChevronLeftIcon, ChevronRightIcon } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { moveFocus } from '../focus.ts'
import { explained } from '../tip.ts'
import { type Point, Popup } from './Popup.tsx'

export interface MenuItem {
  key: string
  label: string
  icon?: ReactNode
  /** Why it can't be chosen now, or more about it. */
  title?: string
  disabled?: boolean
  /** What it does cannot be undone. */
  danger?: boolean
  /** Opens this address in another tab of the browser instead, or saves what is there. */
  href?: string
  isDownload?: boolean
  /** Choices that take the menu's place. */
  items?: readonly MenuItem[]
}

/** Items that belong together, with a line before and after them. */
export interface MenuGroup {
  title?: string
  items: readonly MenuItem[]
}

export interface MenuOptions {
  /** A function is called when the menu opens: a hundred rows need not make theirs before. */
  items: readonly (MenuItem | MenuGroup)[] | (() => readonly (MenuItem | MenuGroup)[])
  /** Keys of the items that hold now. */
  chosen?: readonly string[]
  /** Told the key of an item; what opened the menu has the focus again by then. */
  onChoose: (key: string) => void
}

/**
 * A menu at a button: spread `trigger` on the button and draw `popup` beside it. Enter, Space and
 * the down arrow open it, letters and arrows move, Escape closes (WAI-ARIA, menu button pattern).
 * `open` opens it at any other element; `openAtPointer` is for `onContextMenu`, by a right click or
 * the menu key.
 */
export function useMenu({ items, chosen = [], onChoose }: MenuOptions) {
  const [place, setPlace] = useState<MenuPlace>()
  const anchor = place?.anchor
  const setAnchor = (next: HTMLElement | undefined) => setPlace(next && { anchor: next })
  const openAtPointer = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault()
    const { activeElement } = document
    const hasFocus = activeElement instanceof HTMLElement && event.currentTarget.contains(activeElement)
    setPlace({ anchor: hasFocus ? activeElement : event.currentTarget, point: { x: event.clientX, y: event.clientY } })
  }
  const trigger = {
    'aria-haspopup': 'menu' as const,
    'aria-expanded': anchor !== undefined,
    onClick: ({ currentTarget }: MouseEvent<HTMLElement>) => setAnchor(anchor ? undefined : currentTarget),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key !== 'ArrowDown') return
      event.preventDefault()
      setAnchor(event.currentTarget)
    },
  }
  const popup = place && (
    <Menu
      {...place}
      items={items}
      chosen={chosen}
      onClose={() => setAnchor(undefined)}
      onChoose={(key) => {
        place.anchor.focus()
        setAnchor(undefined)
        onChoose(key)
      }}
    />
  )
  return { trigger, popup, open: setAnchor, openAtPointer, isOpen: anchor !== undefined }
}

interface MenuPlace {
  anchor: HTMLElement
  point?: Point
}

interface MenuProps extends MenuOptions, MenuPlace {
  onClose: () => void
}

/** The open menu; `useMenu` draws it, and what has a box of its own around the items. */
function Menu({ anchor, point, items, chosen = [], onChoose, onClose }: MenuProps) {
  const [parent, setParent] = useState<MenuItem>()
  const groups = groupsOf(parent?.items ?? (typeof items === 'function' ? items() : items))
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => itemsIn(list.current)[parent ? 1 : 0]?.focus(), [parent])
  const choose = (item: MenuItem) => {
    if (item.disabled) return
    if (item.items) setParent(item)
    else onChoose(item.key)
  }
  return (
    <Popup {...{ anchor, point, onClose }} className="menu">
      <div
        ref={list}
        role="menu"
        aria-label={parent?.label}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft' && parent) setParent(undefined)
          else if (event.key === 'Tab') onClose()
          else moveInMenu(event, list.current)
        }}
      >
        {parent && (
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            className="menu-back"
            onClick={() => setParent(undefined)}
          >
            <ChevronLeftIcon /> {parent.label}
          </button>
        )}
        {groups.map(({ title, items: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu
          <div key={own[0]?.key} role="group" aria-label={title}>
            {title && <span className="menu-title">{title}</span>}
            {own.map((item) => (
              <Item key={item.key} item={item} isChosen={chosen.includes(item.key)} onChoose={() => choose(item)} />
            ))}
          </div>
        ))}
      </div>
    </Popup>
  )
}

function Item({ item, isChosen, onChoose }: { item: MenuItem; isChosen: boolean; onChoose: () => void }) {
  const look = {
    role: 'menuitem',
    tabIndex: -1,
    title: item.title || undefined,
    className: item.danger ? 'danger' : undefined,
    'aria-current': isChosen || undefined,
    'aria-disabled': item.disabled || undefined,
    ...explained(item.disabled ? item.title : undefined, 'beside'),
    onClick: onChoose,
  }
  const content = (
    <>
      {item.icon}
      <span>{item.label}</span>
      {isChosen && <CheckIcon />}
      {item.items && <ChevronRightIcon />}
    </>
  )
  if (item.href)
    return (
      <a {...look} href={item.href} {...(item.isDownload ? { download: '' } : { target: '_blank', rel: 'noreferrer' })}>
        {content}
      </a>
    )
  return (
    <button {...look} type="button" aria-haspopup={item.items ? 'menu' : undefined}>
      {content}
    </button>
  )
}

/** Items without a group of their own stand together. */
function groupsOf(items: readonly (MenuItem | MenuGroup)[]): MenuGroup[] {
  const isGroup = (one: MenuItem | MenuGroup): one is MenuGroup => !('key' in one)
  const groups: { title?: string; items: MenuItem[] }[] = []
  let open: MenuItem[] | undefined
  for (const one of items) {
    if (isGroup(one)) {
      open = undefined
      if (one.items.length > 0) groups.push({ ...one, items: [...one.items] })
    } else if (open) open.push(one)
    else groups.push({ items: (open = [one]) })
  }
  return groups
}

const itemsIn = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]

/** Arrows, Home and End, and the first letter of an item. */
export function moveInMenu(event: KeyboardEvent, list: HTMLElement | null): void {
  const items = itemsIn(list)
  if (moveFocus(event, items)) return
  const isLetter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
  if (!isLetter) return
  const at = items.indexOf(document.activeElement as HTMLElement)
  ;[...items.slice(at + 1), ...items]
    .find(({ textContent }) => textContent.trim().toLowerCase().startsWith(event.key.toLowerCase()))
    ?.focus()
  event.preventDefault()
}
