import { BookmarkIcon } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { type MenuGroup, type MenuItem, useMenu } from '../../../design/popups/menu.tsx'
import { Popup } from '../../../design/popups/Popup.tsx'
import { t } from '../../../lib/i18n.ts'
import { session } from '../../../session/session.ts'
import { changeList } from '../../rows/list-state.ts'
import type { ListedRows } from '../use-listed-rows.ts'
import type { TableColumns } from '../use-table-columns.ts'
import { isShown, MAX_NAME_LENGTH, MAX_VIEWS, removeView, savedViews, saveView } from './saved-views.ts'

interface ViewsMenuProps {
  listed: ListedRows
  columns: TableColumns
}

const SAVE = 'save'
const REMOVE = 'remove'
const VIEW = 'view '

/** Filters, order and columns under a name, to come back to. */
export function ViewsMenu({ listed: { state, setState }, columns }: ViewsMenuProps) {
  const { username } = session().profile
  const { table, chosen, choose } = columns
  const [views, setViews] = useState(() => savedViews(username, table))
  const [isNaming, setIsNaming] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const current = views.find((view) => isShown(view, state, chosen))
  const show = (name: string) => {
    const view = views.find((one) => one.name === name)
    if (!view) return
    choose(view.columns)
    setState(changeList(state, { search: view.search, filters: view.filters, order: view.order }))
  }
  const save = (name: string) => {
    const { search, filters, order } = state
    setViews(saveView(username, table, { name, search, filters, order, ...(chosen ? { columns: chosen } : {}) }))
    setIsNaming(false)
    button.current?.focus()
  }
  const items = (): (MenuItem | MenuGroup)[] => [
    ...(views.length > 0
      ? [{ title: t('Saved views'), items: views.map(({ name }) => ({ key: VIEW + name, label: name })) }]
      : []),
    {
      key: SAVE,
      label: t('Save this view…'),
      disabled: views.length >= MAX_VIEWS,
      title: t('Filters, order and columns, under a name'),
    },
    ...(current ? [{ key: REMOVE, label: t('Delete the view "{{name}}"', { name: current.name }), danger: true }] : []),
  ]
  const menu = useMenu({
    items,
    chosen: current ? [VIEW + current.name] : [],
    onChoose: (key) => {
      if (key === SAVE) setIsNaming(true)
      else if (key === REMOVE && current) setViews(removeView(username, table, current.name))
      else show(key.slice(VIEW.length))
    },
  })
  return (
    <>
      <Button
        {...menu.trigger}
        ref={button}
        type="text"
        className="views-button"
        icon={<BookmarkIcon />}
        aria-label={current ? t('Views: {{name}}', { name: current.name }) : t('Views')}
        title={t('Views')}
      >
        {current?.name}
      </Button>
      {menu.popup}
      {isNaming && button.current && (
        <NameBox anchor={button.current} name={current?.name ?? ''} onSave={save} onClose={() => setIsNaming(false)} />
      )}
    </>
  )
}

interface NameBoxProps {
  anchor: HTMLElement
  name: string
  onSave: (name: string) => void
  onClose: () => void
}

function NameBox({ anchor, name, onSave, onClose }: NameBoxProps) {
  const [typed, setTyped] = useState(name)
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== '') onSave(typed.trim())
  }
  return (
    <Popup
      anchor={anchor}
      role="dialog"
      aria-label={t('Save this view')}
      className="view-name"
      onOpen={(box) => box.querySelector('input')?.focus({ preventScroll: true })}
      onClose={onClose}
    >
      <form onSubmit={handleSubmit}>
        <input
          type="text"
          aria-label={t('Name of the view')}
          placeholder={t('Name of the view')}
          maxLength={MAX_NAME_LENGTH}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button size="small" type="primary" htmlType="submit" disabled={typed.trim() === ''}>
          {t('Save@@view')}
        </Button>
      </form>
    </Popup>
  )
}
