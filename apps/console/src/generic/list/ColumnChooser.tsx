import { Popover } from 'antd'
import { Columns3CogIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'

interface ColumnChooserProps {
  columns: readonly { key: string; title: string }[]
  shown: readonly string[]
  /** Always shown; ticked and greyed out (spec A2.79). */
  fixed: readonly string[]
  /** Undefined: back to the page's own columns. */
  onChoose: (columns: readonly string[] | undefined) => void
}

/** The box stands at the end of the document, where nobody would find it with the Tab key. */
const focusFirst = (box: HTMLElement | null) =>
  box?.querySelector<HTMLElement>('input:enabled')?.focus({ preventScroll: true })

/** Which columns a table shows. */
export function ColumnChooser({ columns, shown, fixed, onChoose }: ColumnChooserProps) {
  const [draft, setDraft] = useState<readonly string[]>()
  const ticked = draft ?? shown
  const isOpen = draft !== undefined
  const button = useRef<HTMLButtonElement>(null)
  const close = (chosen?: { columns: readonly string[] | undefined }) => {
    setDraft(undefined)
    button.current?.focus()
    if (chosen) onChoose(chosen.columns)
  }
  return (
    <Popover
      trigger="click"
      destroyOnHidden
      placement="bottomRight"
      open={isOpen}
      onOpenChange={(open) => setDraft(open ? shown : undefined)}
      title={t('Custom table col')}
      content={
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls inside
        <div ref={focusFirst} className="column-chooser" onKeyDown={({ key }) => key === 'Escape' && close()}>
          <div className="choices">
            {columns.map(({ key, title }) => (
              <label key={key}>
                <input
                  type="checkbox"
                  checked={ticked.includes(key) || fixed.includes(key)}
                  disabled={fixed.includes(key)}
                  onChange={(event) =>
                    setDraft(event.target.checked ? [...ticked, key] : ticked.filter((other) => other !== key))
                  }
                />
                {title}
              </label>
            ))}
          </div>
          <div className="buttons">
            <Button size="small" onClick={() => close({ columns: undefined })}>
              {t('Reset')}
            </Button>
            <Button size="small" type="primary" onClick={() => close({ columns: ticked })}>
              {t('Confirm')}
            </Button>
          </div>
        </div>
      }
    >
      <Button
        ref={button}
        type="text"
        icon={<Columns3CogIcon />}
        aria-label={t('Custom table col')}
        title={t('Custom table col')}
      />
    </Popover>
  )
}
