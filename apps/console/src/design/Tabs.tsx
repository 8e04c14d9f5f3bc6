import { Fragment, type KeyboardEvent, type ReactNode, type Ref, useId } from 'react'
import { LEFT_AND_RIGHT, moveFocus } from './focus.ts'
import { namesOf } from './names.ts'
import styles from './Tabs.module.css'

export interface TabOption {
  value: string
  label: ReactNode
  /** A heading above the first of several at the side. */
  group?: string | undefined
}

interface TabBarProps {
  /** Begins the ids of tabs and panel; the same for both. */
  id: string
  tabs: readonly TabOption[]
  value: string | undefined
  onChange: (value: string) => void
  /** One below another. */
  isVertical?: boolean
  className?: string | undefined
  'aria-label'?: string
  ref?: Ref<HTMLDivElement>
}

/**
 * Tabs, of which one is open; they are one stop of the Tab key. Arrows move the focus alone and
 * Enter opens, because a form that is left may ask first (WAI-ARIA tabs pattern).
 */
export function TabBar({ id, tabs, value, onChange, isVertical, className, ...props }: TabBarProps) {
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
    moveFocus(event, all, isVertical ? undefined : LEFT_AND_RIGHT)
  }
  return (
    <div
      {...props}
      className={namesOf([styles.bar, isVertical && styles.vertical, className])}
      role="tablist"
      aria-orientation={isVertical ? 'vertical' : 'horizontal'}
      onKeyDown={move}
    >
      {tabs.map(({ value: own, label, group }, at) => (
        <Fragment key={own}>
          {group && group !== tabs[at - 1]?.group && (
            <span className={styles.group} aria-hidden="true">
              {group}
            </span>
          )}
          <button
            type="button"
            role="tab"
            id={`${id}-${own}`}
            aria-selected={own === value}
            aria-controls={own === value ? `${id}-panel` : undefined}
            tabIndex={own === value ? 0 : -1}
            onClick={() => onChange(own)}
          >
            {label}
          </button>
        </Fragment>
      ))}
    </div>
  )
}

/** The panel of the open tab; made when it is opened, and gone when it is left. */
export function TabPanel({ id, value, children }: { id: string; value: string | undefined; children: ReactNode }) {
  return (
    <div key={value} id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${value}`}>
      {children}
    </div>
  )
}

interface TabsProps extends Omit<TabBarProps, 'id' | 'isVertical' | 'ref'> {
  /** The contents of the open tab. */
  children: ReactNode
}

/** Tabs above what the open one shows. */
export function Tabs({ children, ...bar }: TabsProps) {
  const id = useId()
  return (
    <>
      <TabBar {...bar} id={id} />
      <TabPanel id={id} value={bar.value}>
        {children}
      </TabPanel>
    </>
  )
}
