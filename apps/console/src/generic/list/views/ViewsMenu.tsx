import { LIST_VIEW_NAME_MAX, LIST_VIEWS_MAX } from '@sallyport/contract/constants.ts'
import { BookmarkIcon } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { type MenuGroup, type MenuItem, useMenu } from '../../../design/popups/menu.tsx'
import { Popup } from '../../../design/popups/Popup.tsx'
import { t } from '../../../lib/i18n.ts'
import { changeView, removeView, type SavedView, saveView } from '../saved-views.ts'
import type { ListViews } from './use-views.ts'

const SAVE = 'save'
const RENAME = 'rename'
const FIRST = 'first'
const REMOVE = 'remove'
const PLAIN = 'plain'
const VIEW = 'view '

/** Filters, order, columns and density under a name, to come back to on any device. */
export function ViewsMenu({ of }: { of: ListViews }) {
  const { username, table, views, content, current, show, showPlain } = of
  const [naming, setNaming] = useState<typeof SAVE | typeof RENAME>()
  const button = useRef<HTMLButtonElement>(null)
  /** A refusal has been shown: the box stays as it is. */
  const run = (work: Promise<void>) => void work.then(closeBox, () => {})
  const closeBox = () => {
    setNaming(undefined)
    button.current?.focus()
  }
  const keep = (name: string) => {
    if (naming === RENAME && current) run(changeView(username, current, { name }))
    else run(saveView(username, views, { list: table, name, ...content }))
  }
  const menu = useMenu({
    items: () => itemsOf(views, current),
    chosen: current ? [VIEW + current.id] : [],
    onChoose: (key) => {
      if (key === SAVE || key === RENAME) setNaming(key)
      else if (key === PLAIN) showPlain()
      else if (key === REMOVE && current) run(removeView(username, current))
      else if (key === FIRST && current) run(changeView(username, current, { is_default: !current.is_default }))
      else {
        const view = views.find(({ id }) => VIEW + id === key)
        if (view) show(view)
      }
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
      {naming && button.current && (
        <NameBox
          anchor={button.current}
          title={naming === RENAME ? t('Rename the view') : t('Save this view')}
          name={current?.name ?? ''}
          taken={naming === RENAME ? views.filter((view) => view !== current).map(({ name }) => name) : []}
          onSave={keep}
          onClose={() => setNaming(undefined)}
        />
      )}
    </>
  )
}

function itemsOf(views: readonly SavedView[], current: SavedView | undefined): (MenuItem | MenuGroup)[] {
  const label = ({ name, is_default }: SavedView) => (is_default ? t('{{name}} (shown first)', { name }) : name)
  return [
    ...(views.length > 0
      ? [
          {
            title: t('Saved views'),
            items: [
              ...views.map((view) => ({ key: VIEW + view.id, label: label(view) })),
              { key: PLAIN, label: t('Without a view') },
            ],
          },
        ]
      : []),
    {
      key: SAVE,
      label: t('Save this view…'),
      disabled: views.length >= LIST_VIEWS_MAX,
      title: t('Filters, order, columns and density, under a name'),
    },
    ...(current
      ? [
          {
            key: FIRST,
            label: current.is_default ? t('Show this view first no more') : t('Show this view first'),
          },
          { key: RENAME, label: t('Rename the view "{{name}}"…', { name: current.name }) },
          { key: REMOVE, label: t('Delete the view "{{name}}"', { name: current.name }), danger: true },
        ]
      : []),
  ]
}

interface NameBoxProps {
  anchor: HTMLElement
  title: string
  name: string
  /** Names of other views, which this one cannot get. */
  taken: readonly string[]
  onSave: (name: string) => void
  onClose: () => void
}

function NameBox({ anchor, title, name, taken, onSave, onClose }: NameBoxProps) {
  const [typed, setTyped] = useState(name)
  const wanted = typed.trim()
  const isTaken = taken.includes(wanted)
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== '' && !isTaken) onSave(wanted)
  }
  return (
    <Popup
      anchor={anchor}
      role="dialog"
      aria-label={title}
      className="view-name"
      onOpen={(box) => box.querySelector('input')?.focus({ preventScroll: true })}
      onClose={onClose}
    >
      <form onSubmit={handleSubmit}>
        <input
          type="text"
          aria-label={t('Name of the view')}
          placeholder={t('Name of the view')}
          maxLength={LIST_VIEW_NAME_MAX}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button
          size="small"
          type="primary"
          htmlType="submit"
          disabled={wanted === ''}
          whyDisabled={isTaken ? t('Another view of this list has this name') : undefined}
        >
          {t('Save@@view')}
        </Button>
      </form>
    </Popup>
  )
}
