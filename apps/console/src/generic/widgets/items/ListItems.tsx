import { ArrowDownIcon, ArrowUpIcon, PlusIcon, XIcon } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import { type FormField, isVisible } from '../../view/form-groups.ts'
import type { FormContext, FormValues } from '../../view/form-view.ts'
import { itemFields, itemsShown } from './edited-list.ts'

interface ListItemsProps {
  field: FormField
  /** Values of the whole form. */
  values: FormValues
  context: FormContext
  onChange: (items: readonly FormValues[]) => void
  /** Draws one field of an item. */
  children: (field: FormField, item: FormValues, at: number) => ReactNode
}

/** Where the cursor goes once the items are drawn again: a button of one of them, or its first input. */
interface Next {
  at: number
  to: 'up' | 'down' | 'input'
}

/** A card for each object of a list: they are added, removed and moved, by the pointer or the keyboard. */
export function ListItems({ field, values, context, onChange, children }: ListItemsProps) {
  const box = useRef<HTMLDivElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const next = useRef<Next>(undefined)
  const items = itemsShown(field, values)
  /** What tells the items apart wherever they move: an upload that is under way moves with its item. */
  const ids = useRef<readonly number[]>([])
  const lastId = useRef(0)
  if (ids.current.length !== items.length) ids.current = items.map((_, at) => ids.current[at] ?? ++lastId.current)
  const fields = itemFields(field) ?? []
  const what = t(field.item ?? field.label)
  // With the drawing itself: an effect left over from an earlier drawing would find the items where they were.
  useLayoutEffect(() => {
    if (!next.current) return
    const item = box.current?.children[next.current.at]
    if (item) focusIn(item, next.current.to)
    else addButton.current?.focus()
    next.current = undefined
  })
  const add = () => {
    next.current = { at: items.length, to: 'input' }
    const empty = fields.flatMap(({ name, default: given }) => (given === undefined ? [] : [[name, given]]))
    onChange([...items, Object.fromEntries(empty)])
  }
  const remove = (at: number) => {
    // Never to the next button that removes: Enter twice would remove two.
    next.current = { at: Math.max(0, at - 1), to: 'input' }
    ids.current = ids.current.toSpliced(at, 1)
    onChange(items.filter((_, place) => place !== at))
  }
  const move = (from: number, to: 'up' | 'down') => {
    const at = to === 'up' ? from - 1 : from + 1
    next.current = { at, to }
    ids.current = moved(ids.current, from, at)
    onChange(moved(items, from, at))
  }
  return (
    <>
      <div ref={box}>
        {items.map((item, at) => {
          const name = `${what} ${at + 1}`
          return (
            <fieldset className="nested-fields list-item" key={ids.current[at]} aria-label={name}>
              <div className="list-item-head">
                <b>{name}</b>
                <MoveButton to="up" name={name} disabled={at === 0} onMove={() => move(at, 'up')} />
                <MoveButton to="down" name={name} disabled={at === items.length - 1} onMove={() => move(at, 'down')} />
                <Button
                  type="text"
                  size="small"
                  icon={<XIcon />}
                  aria-label={t('Remove {{name}}', { name })}
                  title={t('Remove {{name}}', { name })}
                  onClick={() => remove(at)}
                />
              </div>
              {fields.filter((child) => isVisible(child, item, context)).map((child) => children(child, item, at))}
            </fieldset>
          )
        })}
      </div>
      <Button ref={addButton} size="small" icon={<PlusIcon />} aria-label={`${t('Add')}: ${what}`} onClick={add}>
        {t('Add')}
      </Button>
    </>
  )
}

const moved = <Item,>(items: readonly Item[], from: number, to: number): Item[] =>
  items.toSpliced(from, 1).toSpliced(to, 0, items[from] as Item)

interface MoveButtonProps {
  to: 'up' | 'down'
  /** Name of the item. */
  name: string
  disabled: boolean
  onMove: () => void
}

function MoveButton({ to, name, disabled, onMove }: MoveButtonProps) {
  const words = to === 'up' ? t('Move {{name}} up', { name }) : t('Move {{name}} down', { name })
  return (
    <Button
      type="text"
      size="small"
      data-move={to}
      icon={to === 'up' ? <ArrowUpIcon /> : <ArrowDownIcon />}
      aria-label={words}
      title={words}
      disabled={disabled}
      onClick={onMove}
    />
  )
}

/** The other button where the wanted one is off: an item that has come to an end of the list. */
function focusIn(item: Element, to: Next['to']): void {
  const ways = to === 'input' ? ['input, textarea'] : [`[data-move="${to}"]:enabled`, '[data-move]:enabled']
  const found = ways.map((way) => item.querySelector<HTMLElement>(way)).find(Boolean)
  found?.focus()
}
