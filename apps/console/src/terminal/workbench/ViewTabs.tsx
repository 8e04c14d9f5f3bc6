import type { KeyboardEvent } from 'react'
import { LEFT_AND_RIGHT, moveFocus } from '../../design/focus.ts'

export interface ViewTab<Name> {
  name: Name
  title: string
  /** Shown while the pointer rests on it. */
  tip?: string | undefined
}

interface ViewTabsProps<Name> {
  /** What they are views of. */
  label: string
  tabs: readonly ViewTab<Name>[]
  active: Name
  onChoose: (name: Name) => void
}

/**
 * Views of one thing inside a pane, one of them shown. They are one stop of the Tab key; arrows
 * move and show at once, as nothing is lost by that.
 */
export function ViewTabs<Name extends string | number>({ label, tabs, active, onChoose }: ViewTabsProps<Name>) {
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
    if (moveFocus(event, all, LEFT_AND_RIGHT)) (document.activeElement as HTMLElement).click()
  }
  return (
    <div className="wb-result-tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ name, title, tip }) => (
        <button
          type="button"
          role="tab"
          key={name}
          aria-selected={name === active}
          tabIndex={name === active ? 0 : -1}
          title={tip}
          onClick={() => onChoose(name)}
        >
          {title}
        </button>
      ))}
    </div>
  )
}
